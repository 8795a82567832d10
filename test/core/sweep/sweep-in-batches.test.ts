// A round over all buckets in batches of a few: each bucket is swept, a run that dies is resumed,
// and no round begins too soon.
import { beforeEach, describe, expect, it } from 'vitest';
import { sweepInBatches } from '../../../src/core/sweep/sweep-in-batches.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { createMemoryCore, type MemoryCore, openTestBucket, withPorts } from '../memory-core.ts';

const NAMES = ['bucket-1', 'bucket-2', 'bucket-3', 'bucket-4', 'bucket-5'];
const EVERY_SECONDS = 3600;

describe('a sweep in batches', () => {
  let core: MemoryCore;
  let swept: string[];
  /** The bucket at which the next run dies. */
  let deadly: string | null;

  beforeEach(async () => {
    const whole = createMemoryCore();
    for (const name of NAMES) await openTestBucket(whole, name);
    swept = [];
    deadly = null;
    const index = whole.ports.metadataIndex;
    const call: MetadataIndex['call'] = (name, method, input) => {
      if (method === 'listIncarnations') swept.push(name);
      return index.call(name, method, input);
    };
    core = withPorts(whole, { metadataIndex: { call } });
  });

  const run = async () => {
    const { directory } = core.ports;
    const call: typeof directory.call = (name, input) => {
      const after = name === 'setSweepCursor' ? (input as { after: string | null }).after : null;
      if (after !== null && after === deadly) return Promise.reject(new Error('cut off'));
      return directory.call(name, input);
    };
    swept = [];
    const options = { bucketsMax: 2, everyMs: EVERY_SECONDS * 1000 };
    await sweepInBatches(withPorts(core, { directory: { ...directory, call } }), options).catch(
      () => undefined,
    );
    return swept;
  };

  it('goes through all buckets, then waits for the next round', async () => {
    expect(await run()).toEqual(['bucket-1', 'bucket-2']);
    core.advanceSeconds(600);
    expect(await run()).toEqual(['bucket-3', 'bucket-4']);
    expect(await run()).toEqual(['bucket-5']);
    expect(await run()).toEqual([]);
    core.advanceSeconds(EVERY_SECONDS - 601);
    expect(await run()).toEqual([]);
    core.advanceSeconds(1);
    expect(await run()).toEqual(['bucket-1', 'bucket-2']);
  });

  it('takes one more run where the last one was just full', async () => {
    await openTestBucket(core, 'bucket-6');
    for (const names of [
      ['bucket-1', 'bucket-2'],
      ['bucket-3', 'bucket-4'],
      ['bucket-5', 'bucket-6'],
      [],
      [],
    ]) {
      expect(await run()).toEqual(names);
    }
  });

  it('resumes behind the last bucket that a dead run had swept', async () => {
    deadly = 'bucket-2';
    expect(await run()).toEqual(['bucket-1', 'bucket-2']);
    deadly = null;
    expect(await run()).toEqual(['bucket-2', 'bucket-3']);
  });

  it('begins the next round at once when one took longer than the time between two', async () => {
    await run();
    core.advanceSeconds(2 * EVERY_SECONDS);
    expect(await run()).toEqual(['bucket-3', 'bucket-4']);
    expect(await run()).toEqual(['bucket-5']);
    expect(await run()).toEqual(['bucket-1', 'bucket-2']);
  });
});
