// Rows of drop links that strangers leave behind, as every platform's index must forget them:
// senders without a file and files that never came, not sooner and not later than the limits say.
import { describe, expect } from 'vitest';
import type { DropLink } from '../../../src/domain/links/drop-link.ts';
import {
  DROP_ANNOUNCED_LIFE_MS,
  DROP_EMPTY_SENDER_LIFE_MS,
  DROP_GIVEN_UP_AT_ONCE,
} from '../../../src/domain/links/link-limits.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { DROP_ENTRY, DROP_LINK, dropFileOf } from '../../index/kit/use-drop-links.ts';
import { type Subject, testsOf } from '../subject.ts';
import { addressOf, makeBucket, refOf, START_MS } from './samples.ts';

/** Runs the family. */
export function indexDropRowsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);
  const FIELDS = { name: '', mail: '', note: '' };

  async function withLink(index: MetadataIndex, link: DropLink = DROP_LINK) {
    const record = await makeBucket(index);
    const bucket = refOf(record);
    const { name } = bucket;
    const linkId = link.id;
    await index.call(name, 'addDropLink', { bucket, link, max: 10, entry: DROP_ENTRY });
    return {
      announce: (fileId: string, lengthBytes: number, nowMs: number) =>
        index.call(name, 'addDropFile', {
          bucket,
          ...dropFileOf(fileId, { lengthBytes, expiresAtMs: nowMs + DROP_ANNOUNCED_LIFE_MS }),
          nowMs,
        }),
      begin: (senderId: string, expiresAtMs: number) =>
        index.call(name, 'addDropFile', {
          bucket,
          ...dropFileOf(`file of ${senderId}`, { senderId, expiresAtMs }),
          nowMs: START_MS,
        }),
      addSender: (id: string, nowMs = START_MS) =>
        index.call(name, 'addDropSender', {
          ...{ bucket, linkId, id, nowMs },
          fields: FIELDS,
          source: id,
        }),
      isThere: async (id: string) =>
        (await index.call(name, 'getDropSender', { bucket, linkId, id })) !== null,
      usage: async (nowMs = START_MS) =>
        (await index.call(name, 'getDropLink', { bucket, id: linkId, nowMs }))?.usage,
      forget: (nowMs: number) =>
        index.call(name, 'forgetDropRows', { bucket: addressOf(record), nowMs }),
      endMs: async () => (await index.call(name, 'listIncarnations', { name }))[0]?.dropRowsEndMs,
    };
  }

  describe(`metadata index, rows of drop links: ${subject.name}`, () => {
    test('forgets senders without a file after a week, and only these', async (index) => {
      const link = await withLink(index);
      expect(await link.endMs()).toBeNull();
      await link.addSender('empty');
      await link.addSender('busy');
      const untilMs = START_MS + 2 * DROP_EMPTY_SENDER_LIFE_MS;
      await link.begin('busy', untilMs);
      const endMs = START_MS + DROP_EMPTY_SENDER_LIFE_MS;
      expect(await link.endMs()).toBe(endMs);

      expect(await link.forget(endMs - 1)).toEqual({ isDone: true });
      expect(await link.isThere('empty')).toBe(true);
      expect(await link.forget(endMs)).toEqual({ isDone: true });
      expect([await link.isThere('empty'), await link.isThere('busy')]).toEqual([false, true]);
      expect(await link.usage()).toMatchObject({ senders: 1, files: 1 });
      expect(await link.endMs()).toBe(untilMs);
    });

    test('forgets files that never came, and then their senders', async (index) => {
      const link = await withLink(index);
      await link.addSender('sender');
      const endMs = START_MS + DROP_EMPTY_SENDER_LIFE_MS;
      await link.begin('sender', endMs);
      await link.forget(endMs);
      expect(await link.usage()).toEqual({ files: 0, bytes: 0, senders: 0 });
      expect(await link.endMs()).toBeNull();
    });

    test('takes some at a time, and says when all are gone', async (index) => {
      const link = await withLink(index);
      for (let at = 0; at < 70; at++) await link.addSender(`sender ${at}`);
      const nowMs = START_MS + DROP_EMPTY_SENDER_LIFE_MS;
      expect(await link.forget(nowMs)).toEqual({ isDone: false });
      expect((await link.usage())?.senders).toBe(6);
      expect(await link.forget(nowMs)).toEqual({ isDone: true });
      expect((await link.usage())?.senders).toBe(0);
    });

    test('files that never came fill no link, however many they are', async (index) => {
      const count = DROP_GIVEN_UP_AT_ONCE + 1;
      const limits = { ...DROP_LINK.limits, files: count, totalBytes: 10_000 };
      const link = await withLink(index, { ...DROP_LINK, limits });
      await link.addSender('sender');
      for (let at = 1; at < count; at++) await link.announce(`small ${at}`, 1, START_MS);
      await link.announce('large', 10_000 - count + 1, START_MS + 1);
      const next = (nowMs: number) => link.announce('next', 10_000, nowMs);
      await expect(next(START_MS + 2)).rejects.toMatchObject({ code: 'QuotaExceeded' });
      expect(await link.usage(START_MS + 2)).toMatchObject({ files: count, bytes: 10_000 });

      const endMs = START_MS + 1 + DROP_ANNOUNCED_LIFE_MS;
      expect(await link.usage(endMs)).toMatchObject({ files: 0, bytes: 0 });
      expect(await next(endMs)).toBeNull();
      expect(await next(endMs)).toMatchObject({ usage: { files: 1, bytes: 10_000 } });
    });
  });
}
