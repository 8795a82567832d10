// A turn over all buckets in runs of a few: each has its turn, a run that dies is gone on with, and
// none begins too soon.
import { beforeEach, describe, expect, it } from 'vitest';
import { sweepInTurns } from '../../../src/core/sweep/sweep-in-batches.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { createMemoryCore, type MemoryCore, openTestBucket, withPorts } from '../memory-core.ts';

const NAMES = ['bucket-1', 'bucket-2', 'bucket-3', 'bucket-4', 'bucket-5'];
const EVERY_SECONDS = 3600;

describe('a sweep in turns', () => {
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
      const place = name === 'setSweepTurn' ? (input as { after: string | null }).after : null;
      if (place !== null && place === deadly) return Promise.reject(new Error('cut off'));
      return directory.call(name, input);
    };
    swept = [];
    const turn = { bucketsMax: 2, everyMs: EVERY_SECONDS * 1000 };
    await sweepInTurns(withPorts(core, { directory: { ...directory, call } }), turn).catch(
      () => undefined,
    );
    return swept;
  };

  it('goes through all buckets, then waits for the next one', async () => {
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

  it('goes on behind the last bucket that a run was through with before it died', async () => {
    deadly = 'bucket-2';
    expect(await run()).toEqual(['bucket-1', 'bucket-2']);
    deadly = null;
    expect(await run()).toEqual(['bucket-2', 'bucket-3']);
  });

  it('begins a turn that takes longer than the time between two at once when it is over', async () => {
    await run();
    core.advanceSeconds(2 * EVERY_SECONDS);
    expect(await run()).toEqual(['bucket-3', 'bucket-4']);
    expect(await run()).toEqual(['bucket-5']);
    expect(await run()).toEqual(['bucket-1', 'bucket-2']);
  });
});
