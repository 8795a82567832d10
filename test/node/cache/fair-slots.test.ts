// Who is next, where many want more than there is room for.
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  createFairSlots,
  type FairSlots,
  type Slot,
} from '../../../src/adapters/shared/fair-slots.ts';

const clock = { nowMs: () => 0 };
const limits = { concurrency: 1, waitingMax: 8, slotMs: 1000 };

/** Takes slots, and notes the outcome: `began` in the order of the slots. */
function watch(slots: FairSlots) {
  const began: string[] = [];
  const refused: string[] = [];
  const taken: Slot[] = [];
  const ask = (name: string, tenant: string, { bucket = tenant, source = name } = {}) => {
    const take = async () => slots.take({ tenant, bucket, source });
    take().then(
      (slot) => {
        began.push(name);
        taken.push(slot);
      },
      () => refused.push(name),
    );
  };
  /** Ends one after the other until nothing is left. */
  const finish = async () => {
    await nextTick();
    for (let slot = taken.shift(); slot !== undefined; slot = taken.shift()) {
      slot.release();
      await nextTick();
    }
  };
  return { ask, began, refused, finish };
}

describe('slots', () => {
  it('go round the tenants, however many of one wait', async () => {
    const { ask, began, refused, finish } = watch(createFairSlots(limits, clock));
    for (let i = 0; i < 5; i++) ask(`flood ${i}`, 'flood');
    ask('b 0', 'b');
    ask('b 1', 'b');
    ask('c 0', 'c');
    await finish();
    expect(began).toEqual([
      'flood 0',
      'flood 1',
      'b 0',
      'c 0',
      'flood 2',
      'b 1',
      'flood 3',
      'flood 4',
    ]);
    expect(refused).toEqual([]);
  });

  it('are taken from the longest queue, when there is no more room', async () => {
    const { ask, began, refused, finish } = watch(createFairSlots(limits, clock));
    for (let i = 0; i < 10; i++) ask(`flood ${i}`, 'flood', { bucket: `bucket ${i}` });
    await nextTick();
    expect(refused).toEqual(['flood 9']);
    ask('b 0', 'b');
    ask('b 1', 'b');
    await finish();
    expect(refused).toEqual(['flood 9', 'flood 8', 'flood 7']);
    expect(began.slice(0, 4)).toEqual(['flood 0', 'flood 1', 'b 0', 'flood 2']);
  });

  it('are shared by sources and buckets', async () => {
    const { ask, refused, finish } = watch(createFairSlots(limits, clock));
    ask('first', 'a');
    for (let i = 0; i < 5; i++)
      ask(`source ${i}`, 'a', { bucket: `bucket ${i}`, source: 'one source' });
    ask('another', 'a', { bucket: 'x' });
    await nextTick();
    expect(refused).toEqual(['source 4']);
    await finish();
    for (let i = 0; i < 8; i++) ask(`bucket ${i}`, 'a', { bucket: 'one bucket' });
    await nextTick();
    expect(refused).toEqual(['source 4', 'bucket 7']);
  });

  it('are never all of one tenant, where nobody may wait', async () => {
    const { ask, began, refused } = watch(
      createFairSlots({ concurrency: 2, waitingMax: 0, slotMs: 1000 }, clock),
    );
    ask('a 0', 'a');
    ask('a 1', 'a');
    ask('b 0', 'b');
    await nextTick();
    expect([began, refused]).toEqual([['a 0', 'b 0'], ['a 1']]);
  });
});
