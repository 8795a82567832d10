// A bucket that changes under a request: how often its call is decided anew, and what ends that.
import { describe, expect, it } from 'vitest';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { createMemoryCore, key, openTestBucket, withPorts } from '../memory-core.ts';

const NAME = 'test-bucket';
/** More than any call is repeated; a call without an end would stop here. */
const PATIENCE = 200;

/** A bucket of which that many calls find that it has changed. */
async function openChanging(changes: number) {
  const memory = createMemoryCore();
  const { name } = (await openTestBucket(memory, NAME)).record();
  const index = memory.ports.metadataIndex;
  let calls = 0;
  let checks = 0;
  const call = (async (bucket: never, method: never, input: never) => {
    if (method !== 'getObjects') return index.call(bucket, method, input);
    calls += 1;
    if (calls > PATIENCE) throw new Error('It goes on without an end.');
    if (calls <= changes) throw new StorageError('BucketChanged');
    return index.call(bucket, method, input);
  }) as MetadataIndex['call'];
  const core = withPorts(memory, { metadataIndex: { ...index, call } });
  const bucket = await openBucket(core, name, () => void checks++);
  const read = () => bucket.call('getObjects', { keys: [key('none')] });
  return { read, calls: () => calls, checks: () => checks };
}

describe('a call on a bucket that changes meanwhile', () => {
  it.each([0, 1, 3])('is decided again for each of %i changes', async (changes) => {
    const { read, calls, checks } = await openChanging(changes);
    const outcome = await read().then(
      () => 'answered',
      (error: { code?: string }) => error.code ?? 'failed',
    );
    expect(outcome).not.toBe('ConditionalRequestConflict');
    expect([calls(), checks()]).toEqual([changes + 1, changes + 1]);
  });

  it('is refused after the third repetition', async () => {
    const { read, calls } = await openChanging(PATIENCE);
    await expect(read()).rejects.toMatchObject({
      code: 'ConditionalRequestConflict',
      cause: { code: 'BucketChanged' },
    });
    expect(calls()).toBe(4);
  });
});
