import { describe, expect, it } from 'vitest';
import { createDecide } from '../../../src/core/auth/decide.ts';
import { createDelivery } from '../../../src/http/delivery/create-delivery.ts';
import { newRequestNotes, type RequestNotes } from '../../../src/http/observe/request-notes.ts';
import { operationTiming, readTiming } from '../../../src/http/observe/server-timing.ts';
import { createStockedCore, PUBLIC_BUCKET } from '../../node/fast-path/both-paths.ts';
import { deliverySettings } from '../delivery/delivery-settings.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

const notes = (changes: Partial<RequestNotes>): RequestNotes => ({
  ...newRequestNotes(),
  startedMs: 1000,
  foundMs: 1001.236,
  ...changes,
});

describe('Server-Timing', () => {
  it('names tiers and durations of a read', () => {
    expect(readTiming(notes({ metadataTier: 'kv', bodyTier: 'edge' }), 1004.5)).toBe(
      'metadata;desc=kv;dur=1.24, body;desc=edge;dur=3.26, total;dur=4.5',
    );
    expect(readTiming(notes({ metadataTier: 'index', bodyTier: 'none' }), 1002)).toBe(
      'metadata;desc=index;dur=1.24, total;dur=2',
    );
    expect(readTiming(notes({ metadataTier: 'index', bodyTier: 'index' }), 1001.236)).toBe(
      'metadata;desc=index;dur=1.24, body;desc=index;dur=0, total;dur=1.24',
    );
  });

  it('names the steps of an operation, and never a negative time', () => {
    expect(operationTiming(notes({ bodyTier: 'bucket' }), 1011.236)).toBe(
      'auth;dur=1.24, work;dur=10, body;desc=bucket, total;dur=11.24',
    );
    expect(operationTiming(notes({ foundMs: 999 }), 998)).toBe(
      'auth;dur=0, work;dur=0, total;dur=0',
    );
  });
});

describe('public answers', () => {
  const timings = async (isServerTimingOn: boolean) => {
    const { deliver, answerAtOnce } = createDelivery(
      await createStockedCore(),
      deliverySettings({ isServerTimingOn }),
      createDecide(),
    );
    const ask = async (headers: Record<string, string> = {}) => {
      const request = makeRequest({ target: `/${PUBLIC_BUCKET}/big`, headers });
      const { headers: answered } = await deliver(request, PUBLIC_BUCKET, 'big', 'ID');
      return answered.get('server-timing');
    };
    const plain = {
      isHead: false,
      rawPath: `/${PUBLIC_BUCKET}/big`,
      host: 'h',
      ifNoneMatch: null,
      range: null,
      header: () => null,
    };
    const cold = await ask({ range: 'bytes=0-1' });
    await ask();
    return {
      cold,
      warm: await ask(),
      part: await ask({ range: 'bytes=0-1' }),
      hot: answerAtOnce(plain)?.headers['server-timing'],
      // What a range that was read adds to its headers; this one is in memory.
      hotPart: answerAtOnce({ ...plain, range: 'bytes=0-1' })?.range?.serverTiming,
    };
  };

  it('tell their tiers when cold, and the same constant through both doors when hot', async () => {
    const { cold, ...others } = await timings(true);
    expect(cold).toMatch(
      /^metadata;desc=index;dur=[\d.]+, body;desc=bucket;dur=[\d.]+, total;dur=[\d.]+$/,
    );
    expect(others).toEqual({
      warm: 'hit;desc=memory',
      part: 'hit;desc=memory',
      hot: 'hit;desc=memory',
      hotPart: '',
    });
  });

  it('tell nothing where that is not wanted', async () => {
    expect(await timings(false)).toEqual({
      cold: null,
      warm: null,
      part: null,
      hot: undefined,
      hotPart: '',
    });
  });
});
