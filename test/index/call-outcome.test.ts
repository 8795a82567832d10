// Outcomes of calls across a border that takes plain data only.
import { describe, expect, it } from 'vitest';
import { ERROR_MESSAGES, StorageError } from '../../src/domain/errors.ts';
import { failureOutcome, runIndexCall, unwrapOutcome } from '../../src/index/call-outcome.ts';

function apiOf(work: () => unknown) {
  return { call: (_input: { n: number }) => work() };
}

/** What the other side of a border that clones gets. */
function across(work: () => unknown): unknown {
  return unwrapOutcome(structuredClone(runIndexCall(apiOf(work), 'call', { n: 1 })));
}

function failing(error: unknown): () => never {
  return () => {
    throw error;
  };
}

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return 'nothing thrown';
}

describe('replies', () => {
  it('carry values, undefined and null among them', () => {
    expect(across(() => ({ a: [1, null], b: new Uint8Array([1]) }))).toEqual({
      a: [1, null],
      b: new Uint8Array([1]),
    });
    expect(across(() => null)).toBe(null);
    expect(across(() => undefined)).toBe(undefined);
  });

  it('give the call its input', () => {
    const api = { double: ({ n }: { n: number }) => n * 2 };
    expect(unwrapOutcome(runIndexCall(api, 'double', { n: 21 }))).toBe(42);
  });

  it('carry a StorageError whole', () => {
    const error = new StorageError('NoSuchKey', { detail: 'my detail', fields: { Key: 'ä😀' } });
    const found = caught(() => across(failing(error))) as StorageError;
    expect(found).toBeInstanceOf(StorageError);
    expect(found).toMatchObject({
      code: 'NoSuchKey',
      message: 'my detail',
      fields: { Key: 'ä😀' },
    });
    expect(found.cause).toBe(undefined);
  });

  it('turn any other error into InternalError and keep its message for the log alone', () => {
    const found = caught(() => across(failing(new TypeError('secret path /data')))) as StorageError;
    expect(found).toMatchObject({
      code: 'InternalError',
      message: ERROR_MESSAGES.InternalError,
      fields: {},
    });
    expect(found.cause).toMatch(/TypeError: secret path \/data\n.*call-outcome\.test/);
  });

  it('keep the whole chain of causes', () => {
    const root = new Error('disk on fire');
    const error = new StorageError('StorageFull', {
      cause: new Error('no write', { cause: root }),
    });
    const found = caught(() => across(failing(error))) as StorageError;
    expect(found.code).toBe('StorageFull');
    expect(found.cause).toMatch(/no write.*Caused by: .*disk on fire/s);
  });

  it('keep a message that was set after the stack was taken, and things that are no errors', () => {
    const late = new Error('early');
    late.message = 'late news';
    expect((caught(() => across(failing(late))) as StorageError).cause).toContain('late news');
    expect((caught(() => across(failing('just text'))) as StorageError).cause).toBe('just text');
    expect(caught(() => across(failing(undefined)))).toMatchObject({ code: 'InternalError' });
  });

  it('bound the text of a cause, and survive causes in a circle', () => {
    const circle = new Error('x'.repeat(100_000));
    circle.cause = circle;
    const reply = failureOutcome(circle);
    expect(reply.isOk ? null : reply.cause?.length).toBe(8000);
  });
});
