// Drop links that their owner makes and removes: what the directory knows of one whose making
// failed, and that nothing comes in while one goes.
import { expect, it } from 'vitest';
import { createDropLink, removeDropLink } from '../../../../src/core/links/drop/drop-links.ts';
import type { BucketHandle } from '../../../../src/core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../../src/domain/errors.ts';
import { DROP_SETTINGS } from '../../../index/kit/use-drop-links.ts';
import { createMemoryCore, openTestBucket } from '../../memory-core.ts';

const NOBODY = { memberId: null, accessKeyId: null };

/** Makes a link with an error behind the commit; gives how many ids the directory has. */
async function idsAfter(failure: Error): Promise<readonly [number, number]> {
  const core = createMemoryCore();
  const bucket = await openTestBucket(core);
  const call: BucketHandle['call'] = async (name, input) => {
    const result = await bucket.call(name, input);
    if (name === 'addDropLink') throw failure;
    return result;
  };
  const made = createDropLink(core, { ...bucket, call }, DROP_SETTINGS, NOBODY);
  await expect(made).rejects.toBe(failure);
  const accountId = bucket.record().ownerId;
  const page = { accountId, kind: null, before: null, limit: 10 };
  const ids = await core.ports.directory.call('listLinkIds', page as never);
  const nowMs = core.ports.clock.nowMs();
  const links = await bucket.call('listDropLinks', { after: '', limit: 10, nowMs });
  return [(ids as readonly unknown[]).length, links.length];
}

it('a link that may have been made stays known, one that was refused does not', async () => {
  expect(await idsAfter(new Error('The connection broke.'))).toEqual([1, 1]);
  expect((await idsAfter(new StorageError('InvalidRequest')))[0]).toBe(0);
});

it('a link that is removed is closed before the first of its rows goes', async () => {
  const core = createMemoryCore();
  const bucket = await openTestBucket(core);
  const { link } = await createDropLink(core, bucket, DROP_SETTINGS, NOBODY);
  const nowMs = core.ports.clock.nowMs();
  const stateOf = () => bucket.call('getDropLink', { id: link.id, nowMs });
  const closedAtMs: (number | null | undefined)[] = [];
  const call: BucketHandle['call'] = async (name, input) => {
    if (name === 'removeDropLink') closedAtMs.push((await stateOf())?.link.revokedAtMs);
    return bucket.call(name, input);
  };
  await removeDropLink(core, { ...bucket, call }, link.id, NOBODY);
  expect(closedAtMs[0]).toEqual(expect.any(Number));
  expect(await stateOf()).toBe(null);
  const page = { accountId: bucket.record().ownerId, kind: null, before: null, limit: 10 };
  expect(await core.ports.directory.call('listLinkIds', page as never)).toEqual([]);
  // Whoever removes it once more has what they want.
  await removeDropLink(core, bucket, link.id, NOBODY);
});
