// What the log of changes of a directory must do: what it keeps, and whose entries go where there
// are too many.
import { describe, expect } from 'vitest';
import type { AuditEntry } from '../../src/domain/account-records.ts';
import type { AccessKeyId, AccountId } from '../../src/domain/nouns.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { fresh, START_MS } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

const FILTER = { action: null, memberId: null, accessKeyId: null, fromMs: null, toMs: null };
/** Ids are in the order of their time, as those of core are. */
const idOf = (number: number) => `${number}`.padStart(6, '0');

function logOf(directory: Directory, keepMax: number) {
  const accountId = fresh('account') as AccountId;
  let made = 0;
  const add = (by: Partial<AuditEntry>, keepFromMs = 0) => {
    const who = {
      memberId: null,
      accessKeyId: null,
      credential: 'session s',
      source: '127.0.0.1',
      requestId: 'r',
    };
    const what = { action: 'putCap', target: '/caps/a', detail: '{}', status: null };
    const entry = { ...who, ...what, accountId, atMs: START_MS + made, id: idOf(made++), ...by };
    return directory.call('addAudit', { entry, keepFromMs, keepMax }).then(() => entry);
  };
  const list = () =>
    directory.call('listAudit', { accountId, before: '', limit: 1000, filter: FILTER });
  const ids = async () => (await list()).map(({ id }) => Number(id));
  return { accountId, add, list, ids };
}

/** Runs the contract. */
export function auditContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);
  const key = { accessKeyId: 'flood' as AccessKeyId };
  const member = { memberId: 'm' };

  describe(`log of changes: ${subject.name}`, () => {
    test('stores an entry once, with its end, and none of refused calls', async (directory) => {
      const { accountId, add, list } = logOf(directory, 10);
      const [done, refused] = [await add(member), await add(member)];
      await directory.call('addAudit', { entry: done, keepFromMs: 0, keepMax: 10 });
      await directory.call('endAudit', { id: done.id, accountId, status: 200, detail: 'd' });
      for (const _ of [1, 2])
        await directory.call('endAudit', { id: refused.id, accountId, status: null });
      expect(await list()).toEqual([{ ...done, status: 200, detail: 'd' }]);
    });

    test('keeps the newest entries up to the bound; a repeat counts once', async (directory) => {
      const { add, ids } = logOf(directory, 5);
      const other = logOf(directory, 5);
      await other.add(key);
      for (let at = 0; at < 12; at++) {
        const entry = await add(key);
        await directory.call('addAudit', { entry, keepFromMs: 0, keepMax: 5 });
      }
      expect(await ids()).toEqual([11, 10, 9, 8, 7]);
      expect(await other.ids()).toEqual([0]);
    });

    test('drops entries of who made most, so none pushes out others', async (directory) => {
      const { add, list } = logOf(directory, 8);
      for (const by of [member, {}, member]) await add(by);
      // Each sign-in is another credential of the same key.
      for (let at = 0; at < 40; at++) await add({ ...key, credential: `session ${at}` });
      const entries = await list();
      expect(entries).toHaveLength(8);
      expect(
        entries.filter(({ accessKeyId }) => accessKeyId === null).map(({ id }) => Number(id)),
      ).toEqual([2, 1, 0]);
      expect(entries.slice(0, 5).map(({ id }) => Number(id))).toEqual([42, 41, 40, 39, 38]);
    });

    test('has room again for each refused entry, within the bound', async (directory) => {
      const { accountId, add, ids } = logOf(directory, 4);
      for (let at = 0; at < 4; at++) await add(member);
      for (let at = 0; at < 6; at++) {
        const { id } = await add(key);
        await directory.call('endAudit', { id, accountId, status: null });
      }
      // The first that came in pushed one out; the others found its room.
      expect(await ids()).toEqual([3, 2, 1]);
      await add(member);
      expect(await ids()).toHaveLength(4);
    });

    test('forgets old entries bit by bit, also below a smaller bound', async (directory) => {
      const { accountId, add, ids } = logOf(directory, 30);
      for (let at = 0; at < 30; at++) await add(member);
      for (let at = 0; at < 4; at++) await add(member, START_MS + 12);
      expect(Math.min(...(await ids()))).toBe(12);
      const [entry] = await directory.call('listAudit', {
        accountId,
        before: '',
        limit: 1,
        filter: FILTER,
      });
      for (let at = 0; at < 4; at++) {
        const next = { ...(entry as AuditEntry), id: idOf(900 + at) };
        await directory.call('addAudit', { entry: next, keepFromMs: 0, keepMax: 3 });
      }
      expect(await ids()).toEqual([903, 902, 901]);
    });
  });
}
