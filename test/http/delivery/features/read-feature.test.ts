// What a bucket's features cost: nothing where it has none, and one look at a memo else. And the
// list itself: who is in a bucket by its settings, and in which order.
import { describe, expect, it } from 'vitest';
import type { CapGuard } from '../../../../src/core/caps/cap-guard.ts';
import { NO_SETTINGS } from '../../../../src/domain/bucket-settings.ts';
import type { BucketReadPolicy } from '../../../../src/domain/nouns.ts';
import { createReadFeatures } from '../../../../src/http/delivery/features/all-features.ts';
import {
  createFeaturesOf,
  type ReadFeature,
} from '../../../../src/http/delivery/features/read-feature.ts';
import { createMemoryCore } from '../../../core/memory-core.ts';

const readPolicyWith = (settings: object): BucketReadPolicy =>
  ({ settings: { ...NO_SETTINGS, ...settings } }) as unknown as BucketReadPolicy;

const caps = { mayServe: () => true } as unknown as CapGuard;
const noReceipts = async () => expect.fail('No receipt is taken here.');

function makeFeatures() {
  const options = { compressionMaxBytes: 1024, caps, takeReceipt: noReceipts };
  return createFeaturesOf(createReadFeatures(createMemoryCore(), options));
}

describe('a bucket without settings', () => {
  it('has only the features that no settings can tell', () => {
    const { refuse, choose, admit, refusalNow, addHeaders, count, freeHeaders, atOnce } =
      makeFeatures()(readPolicyWith({}));
    // The expected owner and encryption; compressed variants; requested headers.
    expect([refuse.length, choose.length, addHeaders.length]).toEqual([2, 1, 1]);
    expect([admit, refusalNow, count, freeHeaders]).toEqual([[], [], null, null]);
    expect([atOnce.leavesAll, atOnce.leaves.length, atOnce.admits]).toEqual([false, 1, null]);
  });

  it('has no compressed variants where the service makes none', () => {
    const options = { compressionMaxBytes: 0, caps, takeReceipt: null };
    const featuresOf = createFeaturesOf(createReadFeatures(createMemoryCore(), options));
    const { choose, atOnce } = featuresOf(readPolicyWith({}));
    expect([choose, atOnce.variants]).toEqual([[], null]);
  });
});

describe('a bucket with settings', () => {
  it('that is capped admits each use, and before it is counted once more', () => {
    const { admit, refusalNow, atOnce } = makeFeatures()(readPolicyWith({ isCapped: true }));
    expect([admit.length, refusalNow.length, typeof atOnce.admits]).toEqual([1, 1, 'function']);
  });

  it.each([
    ['shows receipts to everyone', { receipts: 'everyone' }, 'function'],
    ['has an access log', { logging: { targetBucket: 'l' } }, 'object'],
  ])('that %s leaves the fast path alone', (_, settings, count) => {
    const features = makeFeatures()(readPolicyWith(settings));
    expect([features.atOnce.leavesAll, typeof features.count]).toEqual([true, count]);
  });

  it('that shows receipts to its owner alone has no receipts of reads', () => {
    const { count, freeHeaders } = makeFeatures()(readPolicyWith({ receipts: 'owner' }));
    expect([count, freeHeaders]).toEqual([null, null]);
  });
});

describe('the memo', () => {
  const order: string[] = [];
  const feature = (name: string): ReadFeature => ({
    isIn() {
      order.push(name);
      return true;
    },
    addHeaders: () => ({ name }),
  });
  const list = [feature('first'), feature('second')];

  it('keeps the order of the list, and works it out once for the same settings', () => {
    order.length = 0;
    const featuresOf = createFeaturesOf(list);
    const one = readPolicyWith({});
    const other = readPolicyWith({});
    const features = featuresOf(one);
    expect(features.addHeaders).toEqual(list.map(({ addHeaders }) => addHeaders));
    featuresOf(other);
    expect(featuresOf({ ...one })).toBe(features);
    expect(order).toEqual(['first', 'second', 'first', 'second']);
  });
});
