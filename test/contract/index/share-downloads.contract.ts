// Exact counts of limited share links, as every platform's index must keep them.
import { describe, expect } from 'vitest';
import { newLabelId } from '../../../src/core/links/new-link-ids.ts';
import type { ShareLink } from '../../../src/domain/links/share-links.ts';
import type { SharePermitRequest } from '../../../src/domain/links/share-records.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { addressOf, makeBucket, refOf, START_MS } from './samples.ts';
import { entryOf, shareLinkOf } from './share-links.contract.ts';

const SIZE = 1000;

type Part = { readonly from?: number; readonly length?: number; readonly who?: string };

/** Runs the family. */
export function shareDownloadsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  async function withLink(index: MetadataIndex, change: Partial<ShareLink> = {}) {
    const record = await makeBucket(index);
    const [bucket, address] = [refOf(record), addressOf(record)];
    const link = shareLinkOf({
      limits: { downloads: 1, bytes: null, moneyMicro: null, moneyBytes: null },
      ...change,
    });
    const { name } = bucket;
    await index.call(name, 'addShareLink', { bucket, link, entry: entryOf() });
    let permits = 0;
    let nowMs = START_MS;
    const requestOf = ({
      from = 0,
      length = SIZE,
      who = 'somebody',
    }: Part): SharePermitRequest => ({
      linkId: link.id,
      labelId: null,
      downloadId: who,
      sizeBytes: SIZE,
      permitId: `p${permits++}`,
      offsetBytes: from,
      lengthBytes: length,
    });
    const begin = async (part: Part = {}, more: Partial<SharePermitRequest> = {}) => {
      const request = { ...requestOf(part), ...more };
      const outcome = await index.call(name, 'beginShareDownload', {
        bucket: address,
        request,
        nowMs,
        untilMs: nowMs + 1000,
      });
      return { outcome, permitId: request.permitId };
    };
    const end = (permitId: string, sentBytes: number) =>
      index.call(name, 'settleShareDownload', {
        bucket: address,
        linkId: link.id,
        progress: { permitId, sentBytes },
        nowMs,
      });
    return {
      bucket,
      address,
      link,
      begin,
      end,
      /** Takes a permit and sends so much, all by default. */
      async take(part: Part = {}, sentBytes = part.length ?? SIZE) {
        const { outcome, permitId } = await begin(part);
        return outcome.kind === 'permitted' ? await end(permitId, sentBytes) : outcome;
      },
      renew: (permitId: string, sentBytes: number) =>
        index.call(name, 'renewShareDownloads', {
          bucket: address,
          permits: [{ linkId: link.id, permitId, sentBytes }],
          untilMs: nowMs + 1000,
        }),
      usage: async () =>
        (await index.call(name, 'getShareUsage', { bucket: address, id: link.id }))?.usage,
      wait: (ms: number) => {
        nowMs += ms;
      },
    };
  }
  const limited = (downloads: number) => ({
    limits: { downloads, bytes: null, moneyMicro: null, moneyBytes: null },
  });
  const usedUp = { kind: 'closed', state: 'used-up' };

  describe(`metadata index, limited share links: ${subject.name}`, () => {
    test('give a hundred at once no more than ten places', async (index) => {
      const { begin, end, usage } = await withLink(index, limited(10));
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, at) => begin({ who: at % 2 ? 'one' : `visitor ${at}` })),
      );
      const permitted = all.filter(({ outcome }) => outcome.kind === 'permitted');
      expect(permitted.length).toBe(10);
      expect(all.filter(({ outcome }) => outcome.kind === 'busy').length).toBe(90);
      for (const { permitId } of permitted) await end(permitId, SIZE);
      expect(await usage()).toEqual({ downloads: 10, bytes: 10 * SIZE });
      expect((await begin()).outcome).toEqual(usedUp);
    });

    test('count 37 ranges with three breaks once', async (index) => {
      const { begin, end, take, usage } = await withLink(index);
      const step = 27;
      const ends: boolean[] = [];
      for (let at = 0; at < 37; at++) {
        const from = at * step;
        const length = at === 36 ? SIZE - from : step;
        if (at % 12 === 5) {
          const { permitId } = await begin({ from, length });
          await end(permitId, 10);
          expect(await take({ from: from + 10, length: length - 10 })).toMatchObject({ usage: {} });
        } else {
          const outcome = await take({ from, length });
          if (outcome !== null && 'completed' in outcome) ends.push(outcome.completed);
        }
      }
      expect(ends.filter(Boolean).length).toBe(1);
      expect(await usage()).toEqual({ downloads: 1, bytes: SIZE });
    });

    test('let a client have again what it lost, until that is a whole object', async (index) => {
      const { take, usage } = await withLink(index, limited(2));
      await take({ length: 500 });
      for (let again = 0; again < 3; again++) await take({ from: 400, length: 100 });
      expect(await take({ from: 500, length: 500 })).toMatchObject({ completed: true });
      expect(await usage()).toEqual({ downloads: 1, bytes: 1300 });
      await take({ length: 999 });
      await take({ length: 999 });
      expect(await usage()).toMatchObject({ downloads: 3 });
    });

    test('take ranges of one download at once into one place', async (index) => {
      const { begin, end, usage } = await withLink(index);
      const parts = await Promise.all(
        [0, 1, 2, 3].map((at) => begin({ from: at * 250, length: 250 })),
      );
      expect(parts.every(({ outcome }) => outcome.kind === 'permitted')).toBe(true);
      for (const { permitId } of parts.toReversed()) await end(permitId, 250);
      expect(await usage()).toEqual({ downloads: 1, bytes: SIZE });
    });

    test('begin another download with what was wholly sent', async (index) => {
      const { take, usage } = await withLink(index, limited(2));
      expect(await take()).toMatchObject({ completed: true, usage: { downloads: 1 } });
      expect(await take()).toMatchObject({ completed: true, usage: { downloads: 2 } });
      expect(await take()).toEqual(usedUp);
      expect(await usage()).toEqual({ downloads: 2, bytes: 2 * SIZE });
    });

    test('let nobody have a file for ever by stopping one byte early', async (index) => {
      const { take } = await withLink(index, limited(2));
      let sent = 0;
      for (let tries = 0; tries < 50; tries++) {
        const outcome = await take({ who: `visitor ${tries}` }, SIZE - 1);
        if (outcome !== null && 'completed' in outcome) sent += 1;
      }
      expect(sent).toBe(3);
    });

    test('let a broken-off download end in its turn, though others took over', async (index) => {
      const { take, usage } = await withLink(index, limited(2));
      await take({ who: 'a' }, 600);
      await take({ who: 'b' }, 600);
      // Together they are worth one; whoever goes on is not counted by that any more.
      expect(await usage()).toMatchObject({ downloads: 1 });
      expect(await take({ who: 'a', from: 600, length: 400 })).toMatchObject({
        completed: true,
        usage: { downloads: 1 },
      });
      expect(await take({ who: 'b', from: 600, length: 400 })).toMatchObject({
        completed: true,
        usage: { downloads: 2 },
      });
    });

    test('join a rest that was asked for before the break was noticed', async (index) => {
      const { begin, end, usage } = await withLink(index, limited(2));
      const first = await begin();
      const rest = await begin({ from: 400, length: 600 });
      expect(await end(first.permitId, 400)).toMatchObject({ completed: false });
      expect(await end(rest.permitId, 600)).toMatchObject({ completed: true });
      expect(await usage()).toEqual({ downloads: 1, bytes: SIZE });
    });

    test('end the permits of a process that died, by what it reported', async (index) => {
      const { begin, renew, wait, end, usage, take } = await withLink(index);
      const { permitId } = await begin();
      await renew(permitId, 100);
      expect((await begin({ who: 'other' })).outcome).toEqual({ kind: 'busy' });
      wait(900);
      expect(await renew(permitId, 300)).toEqual([]);
      wait(900);
      expect((await begin({ who: 'other' })).outcome).toEqual({ kind: 'busy' });
      wait(1000);
      expect(await take({ who: 'other' })).toMatchObject({ completed: true });
      expect(await renew(permitId, 400)).toEqual([permitId]);
      expect(await end(permitId, SIZE)).toBeNull();
      expect(await usage()).toEqual({ downloads: 1, bytes: SIZE + 300 });
    });

    test('take one permit for a call that came twice', async (index) => {
      const { begin, end, usage } = await withLink(index, limited(1));
      const { permitId } = await begin();
      expect((await begin({}, { permitId })).outcome).toEqual({ kind: 'permitted' });
      await end(permitId, SIZE);
      expect([await end(permitId, SIZE), await usage()]).toEqual([
        null,
        { downloads: 1, bytes: SIZE },
      ]);
    });

    test('never send more bytes than they may', async (index) => {
      const limits = { downloads: null, bytes: 2500, moneyMicro: null, moneyBytes: null };
      const { begin, end, take, usage } = await withLink(index, { limits });
      const [a, b, c] = [await begin({ who: 'a' }), await begin({ who: 'b' }), await begin()];
      expect([a, b, c].map(({ outcome }) => outcome.kind)).toEqual([
        'permitted',
        'permitted',
        'busy',
      ]);
      await end(a.permitId, SIZE);
      await end(b.permitId, 200);
      expect(await usage()).toMatchObject({ bytes: 1200 });
      expect(await take()).toMatchObject({ completed: true });
      expect(await take()).toEqual(usedUp);
      expect(await take({ length: 300 })).toMatchObject({ completed: false });
      expect(await take({ length: 1 })).toEqual(usedUp);
    });

    test('hold to limits of bytes and money as they are now', async (index) => {
      const limits = { downloads: null, bytes: 2 * SIZE, moneyMicro: null, moneyBytes: null };
      const { begin, take, bucket, link } = await withLink(index, { limits });
      await take({ who: 'a' });
      for (const [revision, change] of [{ bytes: SIZE }, { moneyBytes: SIZE }].entries()) {
        const changed = { ...link, revision: revision + 2, limits: { ...limits, ...change } };
        const entry = entryOf('changed');
        await index.call(bucket.name, 'changeShareLink', { bucket, link: changed, entry });
        expect((await begin({ who: 'b' })).outcome).toEqual(usedUp);
      }
    });

    test('are closed before and after their times, when revoked, and for labels', async (index) => {
      const { begin, wait, bucket, link } = await withLink(index, {
        ...limited(10),
        notBeforeMs: START_MS + 10,
        expiresAtMs: START_MS + 20,
      });
      expect((await begin()).outcome).toEqual({ kind: 'closed', state: 'not-yet' });
      wait(10);
      expect((await begin()).outcome).toEqual({ kind: 'permitted' });
      const label = { id: newLabelId(), name: '', createdAtMs: START_MS, revokedAtMs: null };
      const unknown = await begin({}, { labelId: label.id });
      expect(unknown.outcome).toEqual({ kind: 'closed', state: 'revoked' });
      await index.call(bucket.name, 'putShareLabel', {
        bucket,
        linkId: link.id,
        label,
        entry: entryOf('label-added'),
      });
      expect((await begin({}, { labelId: label.id })).outcome).toEqual({ kind: 'permitted' });
      wait(10);
      expect((await begin()).outcome).toEqual({ kind: 'closed', state: 'expired' });
      const revoked = { ...link, revision: 2, revokedAtMs: START_MS };
      await index.call(bucket.name, 'changeShareLink', {
        bucket,
        link: revoked,
        entry: entryOf('revoked'),
      });
      expect((await begin()).outcome).toEqual({ kind: 'closed', state: 'revoked' });
    });

    test('count an object without bytes', async (index) => {
      const { begin, end, usage } = await withLink(index);
      const { permitId, outcome } = await begin({ length: 0 }, { sizeBytes: 0 });
      expect(outcome).toEqual({ kind: 'permitted' });
      expect(await end(permitId, 0)).toMatchObject({ completed: true });
      expect(await usage()).toEqual({ downloads: 1, bytes: 0 });
    });
  });
}
