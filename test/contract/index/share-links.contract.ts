// Share links, as every platform's index must keep them: changed one after the other, with their
// labels, history and counts, and gone with their bucket.
import { describe, expect } from 'vitest';
import { newLabelId, newLinkId } from '../../../src/core/links/new-link-ids.ts';
import type { LabelId } from '../../../src/domain/links/link-ids.ts';
import { LINK_HISTORY_MAX } from '../../../src/domain/links/link-limits.ts';
import type { ShareLink } from '../../../src/domain/links/share-links.ts';
import type { ShareDay, ShareHistoryEntry } from '../../../src/domain/links/share-records.ts';
import type { ObjectKey } from '../../../src/domain/nouns.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import type { SharePosition } from '../../../src/ports/index-calls/share-link-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { addressOf, expectCode, makeBucket, refOf, START_MS } from './samples.ts';

/** A link to one object, without limits. */
export function shareLinkOf(change: Partial<ShareLink> = {}): ShareLink {
  return {
    id: newLinkId(),
    createdAtMs: START_MS,
    revision: 1,
    target: { kind: 'object', key: 'ü/a' as ObjectKey, versionId: null },
    notBeforeMs: null,
    expiresAtMs: null,
    revokedAtMs: null,
    passwordHash: null,
    passwordRevision: 0,
    limits: { downloads: null, bytes: null, moneyMicro: null, moneyBytes: null },
    audience: { addresses: null, countries: null },
    page: {
      title: null,
      text: null,
      logoKey: null,
      colour: null,
      mode: 'preview',
      fileName: null,
    },
    note: '',
    cutsRunning: false,
    ...change,
  };
}

export const entryOf = (action: ShareHistoryEntry['action'] = 'created'): ShareHistoryEntry => ({
  atMs: START_MS,
  memberId: null,
  accessKeyId: 'K',
  action,
  changes: { note: ['', 'ü 😀'] },
});

/** Who changes links in these tests. */
const changer = { memberId: null, accessKeyId: 'K' };

/** Runs the family. */
export function shareLinksContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  async function withBucket(index: MetadataIndex) {
    const record = await makeBucket(index);
    const [bucket, address] = [refOf(record), addressOf(record)];
    const { name } = bucket;
    return {
      bucket,
      add: (link: ShareLink) =>
        index.call(name, 'addShareLink', { bucket, link, entry: entryOf() }),
      change: (link: ShareLink) =>
        index.call(name, 'changeShareLink', { bucket, link, entry: entryOf('changed') }),
      get: (id: ShareLink['id']) => index.call(name, 'getShareLink', { bucket: address, id }),
      find: (id: ShareLink['id'], labelId: LabelId | null) =>
        index.call(name, 'findShareLink', { bucket: address, id, labelId }),
      list: (before: ShareLink | null, limit: number) =>
        index.call(name, 'listShareLinks', { bucket, before, limit }),
      count: (days: readonly ShareDay[]) =>
        index.call(name, 'addShareCounts', { bucket: address, days, nowMs: START_MS }),
      days: (
        id: ShareLink['id'],
        fromDayMs = 0,
        before: Pick<ShareDay, 'dayMs' | 'labelId'> | null = null,
        limit = 1000,
      ) => index.call(name, 'listShareDays', { bucket, id, fromDayMs, before, limit }),
      history: (id: ShareLink['id']) => index.call(name, 'listShareHistory', { bucket, id }),
      revoke: (prefix: string, atMs: number, before: SharePosition | null = null, limit = 100) =>
        index.call(name, 'revokeShareLinks', { bucket, prefix, changer, atMs, before, limit }),
      sums: (id: ShareLink['id']) => index.call(name, 'listShareSums', { bucket, id }),
    };
  }

  describe(`metadata index, share links: ${subject.name}`, () => {
    test('are as they were made and changed, one change after the other', async (index) => {
      const { bucket, add, change, get } = await withBucket(index);
      const link = shareLinkOf();
      expect(await get(link.id)).toBeNull();
      for (const _ of [1, 2]) await add(link);
      const usage = { downloads: 0, bytes: 0 };
      expect(await get(link.id)).toEqual({ link, labels: [], usage });

      const changed = { ...link, revision: 2, note: 'ü 😀' };
      await change(changed);
      expect((await get(link.id))?.link).toEqual(changed);
      await expectCode(change({ ...changed, note: 'late' }), 'PreconditionFailed');
      await expectCode(change(shareLinkOf({ revision: 2 })), 'NoSuchResource');
      const history = await index.call(bucket.name, 'listShareHistory', { bucket, id: link.id });
      expect(history).toEqual([entryOf('changed'), entryOf()]);
    });

    test('have labels that can be revoked', async (index) => {
      const { bucket, add, get, find } = await withBucket(index);
      const link = shareLinkOf();
      const label = { id: newLabelId(), name: 'Ü', createdAtMs: START_MS, revokedAtMs: null };
      const put = (
        each: typeof label | (Omit<typeof label, 'revokedAtMs'> & { revokedAtMs: number }),
      ) =>
        index.call(bucket.name, 'putShareLabel', {
          bucket,
          linkId: link.id,
          label: each,
          entry: entryOf('label-added'),
        });
      await expectCode(put(label), 'NoSuchResource');
      await add(link);
      await put(label);
      expect((await get(link.id))?.labels).toEqual([label]);
      const { name } = bucket;
      const { bucket: record } = await index.call(name, 'resolve', { name, key: 'k' as ObjectKey });
      expect(await find(link.id, label.id)).toEqual({ link, label, bucket: record });
      expect(await find(link.id, null)).toEqual({ link, label: null, bucket: record });
      expect(await find(link.id, newLabelId())).toBeNull();
      expect(await find(newLinkId(), null)).toBeNull();
      await put({ ...label, revokedAtMs: START_MS + 1 });
      expect((await get(link.id))?.labels).toEqual([{ ...label, revokedAtMs: START_MS + 1 }]);
    });

    test('remember who made them, and the newest changes', async (index) => {
      const { add, change, history } = await withBucket(index);
      const link = shareLinkOf();
      await add(link);
      for (let at = 2; at < LINK_HISTORY_MAX + 5; at++)
        await change({ ...link, revision: at, note: `${at}` });
      const actions = (await history(link.id)).map(({ action }) => action);
      expect(actions).toEqual([...Array(LINK_HISTORY_MAX - 1).fill('changed'), 'created']);
    });

    test('are revoked below a prefix, page by page, each of them once', async (index) => {
      const { add, get, revoke, history } = await withBucket(index);
      const of = (target: ShareLink['target'], age: number) =>
        shareLinkOf({ target, createdAtMs: START_MS - age });
      const key = (text: string) => text as ObjectKey;
      const below = [
        of({ kind: 'object', key: key('a/1'), versionId: null }, 0),
        of({ kind: 'folder', prefix: 'a/b/' }, 1),
        of({ kind: 'keys', keys: [key('0'), key('a/2')], prefix: '' }, 2),
      ];
      const other = of({ kind: 'folder', prefix: '' }, 3);
      const before = shareLinkOf({ ...below[0], id: newLinkId(), revokedAtMs: START_MS - 9 });
      for (const link of [...below, other, before]) await add(link);

      const first = await revoke('a/', START_MS, null, 2);
      const second = await revoke('a/', START_MS, first.last, 3);
      const third = await revoke('a/', START_MS, second.last, 3);
      const revoked = [...first.revoked, ...second.revoked, ...third.revoked];
      expect(revoked.toSorted()).toEqual(below.map(({ id }) => id).toSorted());
      expect(third.last).toBeNull();
      for (const link of below) {
        const revokedLink = { ...link, revision: 2, revokedAtMs: START_MS };
        expect((await get(link.id))?.link).toEqual(revokedLink);
        expect((await history(link.id))[0]).toEqual({
          ...changer,
          atMs: START_MS,
          action: 'revoked',
          changes: { revokedAtMs: [null, START_MS] },
        });
      }
      expect((await get(other.id))?.link).toEqual(other);
      // A call that came twice changes nothing, and says what the first one did.
      expect((await revoke('a/', START_MS)).revoked.toSorted()).toEqual(revoked.toSorted());
      expect((await revoke('a/', START_MS + 1)).revoked).toEqual([]);
      expect(await history(below[0]?.id ?? other.id)).toHaveLength(2);
    });

    test('show their newest days first, page by page', async (index) => {
      const { add, count, days } = await withBucket(index);
      const link = shareLinkOf();
      await add(link);
      const today = dayOf(link).dayMs;
      const labelId = newLabelId();
      const all = [0, 1, 2].flatMap((age) => [
        dayOf(link, { dayMs: today - age * DAY_MS, labelId }),
        dayOf(link, { dayMs: today - age * DAY_MS }),
      ]);
      await count(all.toReversed());
      const pages: ShareDay[] = [];
      for (let page = 0; page < 3; page++)
        pages.push(...(await days(link.id, 0, pages.at(-1) ?? null, 2)));
      expect(pages).toEqual(all);
      expect(await days(link.id, 0, pages.at(-1))).toEqual([]);
    });

    test('are listed newest first, in pages, and deleted with all of theirs', async (index) => {
      const { bucket, add, get, list, count, days } = await withBucket(index);
      const links = [0, 1, 1, 2].map((age) => shareLinkOf({ createdAtMs: START_MS - age }));
      for (const link of links) await add(link);
      const sorted = links.toSorted(
        (a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1),
      );
      const [first] = sorted;
      const listed: ShareLink[] = [];
      for (let page = 0; page < 3; page++)
        listed.push(...(await list(listed.at(-1) ?? null, 2)).map(({ link }) => link));
      expect(listed).toEqual(sorted);
      if (first === undefined) throw new Error('No link was made.');
      await count([dayOf(first)]);
      for (const _ of [1, 2])
        await index.call(bucket.name, 'deleteShareLink', { bucket, id: first.id });
      expect([await get(first.id), await days(first.id)]).toEqual([null, []]);
      expect((await list(null, 10)).length).toBe(3);
    });

    test('go with their bucket', async (index) => {
      const { bucket, add, get } = await withBucket(index);
      const link = shareLinkOf();
      await add(link);
      await index.call(bucket.name, 'deleteBucket', { bucket, nowMs: START_MS });
      expect(await get(link.id)).toBeNull();
    });

    test('count their visitors by day and label, the most frequent by name', async (index) => {
      const { add, count, days, list } = await withBucket(index);
      const link = shareLinkOf();
      await add(link);
      const labelId = newLabelId();
      const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`h${at}.example`, 1]));
      await count([dayOf(link, { referrers: { 'a.example': 3 } }), dayOf(link, { labelId })]);
      await count([dayOf(link, { referrers: many }), dayOf(shareLinkOf())]);
      const [ofLabel, all, ...rest] = await days(link.id);
      expect(all).toMatchObject({ labelId: null, opened: 2, bytes: 10 });
      expect([all?.referrers['a.example'], Object.keys(all?.referrers ?? {}).length]).toEqual([
        3, 50,
      ]);
      expect([ofLabel, rest]).toEqual([dayOf(link, { labelId }), []]);
      expect((await list(null, 1))[0]?.lastUsedMs).toBe(START_MS);
      expect(await days(link.id, DAY_MS * 30_000)).toEqual([]);
    });

    test('sum their visitors since they were made, longer than days are kept', async (index) => {
      const { bucket, add, count, days, list, sums } = await withBucket(index);
      const [link, other] = [shareLinkOf(), shareLinkOf({ createdAtMs: START_MS - 1 })];
      await Promise.all([add(link), add(other)]);
      const labelId = newLabelId();
      const old = dayOf(link, { dayMs: START_MS - 500 * DAY_MS });
      await count([old]);
      await count([dayOf(link), dayOf(link, { labelId }), dayOf(link, { labelId })]);
      expect(await days(link.id)).toHaveLength(2);
      const once = { opened: 1, started: 2, completed: 3, aborted: 4, bytes: 5 };
      const times = (n: number) =>
        Object.fromEntries(Object.entries(once).map(([name, count]) => [name, count * n]));
      expect(await sums(link.id)).toEqual([
        { labelId: null, ...times(2) },
        { labelId, ...times(2) },
      ]);
      expect((await list(null, 2)).map((listed) => listed.sums)).toEqual([times(4), times(0)]);
      await index.call(bucket.name, 'deleteShareLink', { bucket, id: link.id });
      expect(await sums(link.id)).toEqual([]);
    });
  });
}

function dayOf(link: ShareLink, change: Partial<ShareDay> = {}): ShareDay {
  return {
    linkId: link.id,
    labelId: null,
    dayMs: Math.floor(START_MS / DAY_MS) * DAY_MS,
    opened: 1,
    started: 2,
    completed: 3,
    aborted: 4,
    bytes: 5,
    referrers: {},
    countries: { CH: 1 },
    ...change,
  };
}
