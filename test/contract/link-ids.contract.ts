// What every directory must do with the ids of links.
import { describe, expect } from 'vitest';
import { newLinkId } from '../../src/core/links/new-link-ids.ts';
import type { LinkEntry, LinkKind } from '../../src/domain/links/link-ids.ts';
import type { AccountId, BucketAddress, BucketId, BucketName } from '../../src/domain/nouns.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { fresh, START_MS } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

/** Runs the contract. */
export function linkIdsContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);
  const bucketOf = (): BucketAddress => {
    const name = fresh('bucket-') as BucketName;
    return { id: `${name}~1` as BucketId, name };
  };
  const entryOf = (
    bucket: BucketAddress,
    accountId: AccountId,
    createdAtMs = START_MS,
    kind: LinkKind = 'share',
  ): LinkEntry => ({ id: newLinkId(), kind, bucket, accountId, createdAtMs });
  const accountOf = () => fresh('account') as AccountId;

  describe(`ids of links: ${subject.name}`, () => {
    test('are found from when they are noted until they are removed', async (directory) => {
      const entry = entryOf(bucketOf(), accountOf());
      const { id, bucket } = entry;
      expect(await directory.findLink(id)).toBe(null);
      for (const _ of [1, 2]) await directory.call('addLinkId', { entry });
      expect(await directory.findLink(id)).toEqual(entry);
      expect(directory.peekLink(id)).toEqual(entry);
      expect(await directory.call('getLinkId', { id })).toEqual(entry);
      await directory.call('removeLinkId', { id, bucketId: bucketOf().id });
      expect(await directory.call('getLinkId', { id })).toEqual(entry);
      for (const _ of [1, 2]) await directory.call('removeLinkId', { id, bucketId: bucket.id });
      expect(await directory.findLink(id)).toBe(null);
      expect(await directory.call('getLinkId', { id })).toBe(null);
    });

    test('go with their bucket, and no others', async (directory) => {
      const [gone, kept] = [bucketOf(), bucketOf()];
      const account = accountOf();
      const entries = [entryOf(gone, account), entryOf(gone, account), entryOf(kept, account)];
      for (const entry of entries) await directory.call('addLinkId', { entry });
      for (const { id } of entries) await directory.findLink(id);
      await directory.call('removeLinkIds', { bucketId: gone.id });
      const found = await Promise.all(entries.map(({ id }) => directory.findLink(id)));
      expect(found.map((entry) => entry !== null)).toEqual([false, false, true]);
    });

    test('are listed for their account, newest first, in pages', async (directory) => {
      const bucket = bucketOf();
      const [account, other] = [accountOf(), accountOf()];
      const entries = [
        ...[0, 1, 1, 1, 2].map((age) => entryOf(bucket, account, START_MS - age)),
        entryOf(bucket, account, START_MS - 3, 'drop'),
      ];
      await directory.call('addLinkId', { entry: entryOf(bucket, other) });
      for (const entry of entries) await directory.call('addLinkId', { entry });
      const sorted = entries.toSorted(
        (a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1),
      );
      const listed: LinkEntry[] = [];
      for (let page = 0; page < 4; page++) {
        const before = listed.at(-1) ?? null;
        const input = { accountId: account, kind: null, before, limit: 2 };
        listed.push(...(await directory.call('listLinkIds', input)));
      }
      expect(listed).toEqual(sorted);
      const drops = { accountId: account, kind: 'drop', before: null, limit: 10 } as const;
      expect(await directory.call('listLinkIds', drops)).toEqual([entries[5]]);
    });
  });
}
