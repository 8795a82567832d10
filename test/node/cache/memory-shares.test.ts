// The memory of share links: what a change of a link does to a load under way. What it does behind
// the port is tested with the surface of links.
import { expect, it } from 'vitest';
import { createMemoryShares } from '../../../src/adapters/shared/memory-shares.ts';
import type { LabelId, LinkId } from '../../../src/domain/links/link-ids.ts';
import type { BucketAddress } from '../../../src/domain/nouns.ts';
import type { HotShare } from '../../../src/ports/caches/hot-shares.ts';
import { shareLinkOf } from '../../contract/index/share-links.contract.ts';

const id = 'link' as LinkId;
const name = { id, labelId: null };
const bucket = { id: 'photos/life', name: 'photos' } as BucketAddress;
const none = () => Promise.resolve(null);

const clock = { nowMs: () => 0 };

it('the memory of links drops what was loaded while its link changed', async () => {
  const shares = createMemoryShares(clock);
  const { promise, resolve } = Promise.withResolvers<HotShare | null>();
  const overtaken = shares.find(name, bucket, () => promise);
  shares.block(id);
  const meanwhile = shares.find(name, bucket, none);
  shares.unblock(id);
  resolve(null);
  await Promise.all([overtaken, meanwhile]);
  expect(shares.peek(name)).toBeUndefined();

  await shares.find(name, bucket, none);
  expect(shares.peek(name)).toBeNull();
});

it('the memory of links keeps what was loaded while another link changed', async () => {
  const shares = createMemoryShares(clock);
  const loading = shares.find(name, bucket, none);
  shares.block('other' as LinkId);
  shares.unblock('other' as LinkId);
  await loading;
  expect(shares.peek(name)).toBeNull();
});

it('the memory of links drops all labels of a link that changes', async () => {
  const shares = createMemoryShares(clock);
  const labels = ['label-01', 'label-02', null].map((labelId) => labelId as LabelId | null);
  const load = () => Promise.resolve({ link: shareLinkOf(), label: null });
  for (const labelId of labels) await shares.find({ id, labelId }, bucket, load);
  for (const labelId of labels) expect(shares.peek({ id, labelId })).not.toBeUndefined();
  shares.block(id);
  for (const labelId of labels) expect(shares.peek({ id, labelId })).toBeUndefined();
});
