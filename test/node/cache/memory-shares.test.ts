// The memory of share links: what a change of a link does to a load under way. What it does behind
// the port is tested with the surface of links.
import { expect, it } from 'vitest';
import { createMemoryShares } from '../../../src/adapters/shared/memory-shares.ts';
import type { LabelId, LinkId } from '../../../src/domain/links/link-ids.ts';
import type { HotShare } from '../../../src/ports/caches/hot-shares.ts';
import { shareLinkOf } from '../../contract/index/share-links.contract.ts';

const id = 'link' as LinkId;
const name = { id, labelId: null };
const none = () => Promise.resolve(null);

for (const coalesces of [true, false]) {
  it(`drop what was loaded while its link changed, coalescing: ${coalesces}`, async () => {
    const shares = createMemoryShares({ clock: { nowMs: () => 0 }, freshMs: null, coalesces });
    const { promise, resolve } = Promise.withResolvers<HotShare | null>();
    const overtaken = shares.find(name, () => promise);
    shares.block(id);
    const meanwhile = shares.find(name, none);
    shares.unblock(id);
    resolve(null);
    await Promise.all([overtaken, meanwhile]);
    expect(shares.peek(name)).toBeUndefined();

    await shares.find(name, none);
    expect(shares.peek(name)).toBeNull();
  });

  it(`keep what was loaded while another link changed, coalescing: ${coalesces}`, async () => {
    const shares = createMemoryShares({ clock: { nowMs: () => 0 }, freshMs: null, coalesces });
    const loading = shares.find(name, none);
    shares.block('other' as LinkId);
    shares.unblock('other' as LinkId);
    await loading;
    expect(shares.peek(name)).toBeNull();
  });
}

it('drop all labels of a link that changes', async () => {
  const shares = createMemoryShares({ clock: { nowMs: () => 0 }, freshMs: null, coalesces: true });
  const labels = ['label-01', 'label-02', null].map((labelId) => labelId as LabelId | null);
  const load = () => Promise.resolve({ link: shareLinkOf(), label: null });
  for (const labelId of labels) await shares.find({ id, labelId }, load);
  for (const labelId of labels) expect(shares.peek({ id, labelId })).not.toBeUndefined();
  shares.block(id);
  for (const labelId of labels) expect(shares.peek({ id, labelId })).toBeUndefined();
});

it('are loaded by one reader of many while they may be used, where none waits', async () => {
  let nowMs = 0;
  let loads = 0;
  const clock = { nowMs: () => nowMs };
  const shares = createMemoryShares({ clock, freshMs: 5000, coalesces: false });
  const read = () =>
    shares.find(name, async () => {
      loads += 1;
      await Promise.resolve();
      return { link: shareLinkOf(), label: null };
    });
  await read();
  for (; nowMs < 60_000; nowMs += 100) await Promise.all(Array.from({ length: 10 }, read));
  // Each is fresh for five seconds, and is loaded anew after three.
  expect(loads).toBeLessThanOrEqual(60_000 / 3000 + 1);
  expect(loads).toBeGreaterThanOrEqual(60_000 / 5000);
});
