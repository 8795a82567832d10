// What every directory must do. Bound to an adapter in a file of that adapter. Other accounts may be there.
import { describe, expect } from 'vitest';
import type { Directory } from '../../src/ports/directory.ts';
import type { AccessKeyId, Account, AccountId, BucketName } from '../../src/ports/domain.ts';
import { fresh, START_MS } from './index-samples.ts';
import { type Subject, testsOf } from './subject.ts';

const keyIdOf = () => fresh('KEY') as AccessKeyId;
const nameOf = (text: string) => text as BucketName;

/** Runs the contract. */
export function directoryContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);
  const account = (displayName = 'Jürgen 😀'): Account => ({ id: fresh('account') as AccountId, displayName });
  const get = (directory: Directory, id: AccessKeyId) => directory.call('getAccessKey', { id });
  const add = (directory: Directory, ownerId: AccountId, name: string, createdAtMs = START_MS) =>
    directory.call('addBucket', { ownerId, name: nameOf(name), createdAtMs });
  const list = async (
    directory: Directory,
    ownerId: AccountId,
    query: Partial<{ prefix: string; after: string; limit: number }>,
  ) =>
    (await directory.call('listBuckets', { ownerId, prefix: '', after: '', limit: 1000, ...query })).map(
      ({ name }) => name,
    );

  describe(`directory: ${subject.name}`, () => {
    test('knows an access key with its account, and no other', async (directory) => {
      const owner = account();
      const [id, other] = [keyIdOf(), keyIdOf()];
      await directory.call('putAccount', { account: owner, keys: [{ id, secret: 's/+= ä' }] });
      expect(await get(directory, id)).toEqual({ id, secret: 's/+= ä', account: owner });
      expect(await get(directory, other)).toBe(null);
      expect(await get(directory, id.toLowerCase() as AccessKeyId)).toBe(null);
    });

    test('replaces an account and its keys, and leaves others alone', async (directory) => {
      const owner = account();
      const stranger = account('stranger');
      const [first, second, foreign] = [keyIdOf(), keyIdOf(), keyIdOf()];
      await directory.call('putAccount', { account: stranger, keys: [{ id: foreign, secret: 'f' }] });
      await directory.call('putAccount', { account: owner, keys: [{ id: first, secret: '1' }] });
      const renamed = { ...owner, displayName: 'new' };
      for (const _ of [1, 2]) {
        await directory.call('putAccount', { account: renamed, keys: [{ id: second, secret: '2' }] });
      }
      expect(await get(directory, first)).toBe(null);
      expect(await get(directory, second)).toEqual({ id: second, secret: '2', account: renamed });
      expect(await get(directory, foreign)).toMatchObject({ account: stranger });
      await directory.call('putAccount', { account: renamed, keys: [] });
      expect(await get(directory, second)).toBe(null);
    });

    test('lists the buckets of an account in byte order, by prefix and by page', async (directory) => {
      const { id } = account();
      const names = ['a-1', 'a.1', 'a1', 'aa', 'b'];
      for (const name of names.toReversed()) await add(directory, id, name);
      await add(directory, account().id, 'a0');
      expect(await list(directory, id, {})).toEqual(names);
      expect(await list(directory, id, { limit: 2 })).toEqual(['a-1', 'a.1']);
      expect(await list(directory, id, { limit: 2, after: 'a.1' })).toEqual(['a1', 'aa']);
      expect(await list(directory, id, { prefix: 'a', after: 'a1' })).toEqual(['aa']);
      expect(await list(directory, id, { prefix: 'a.' })).toEqual(['a.1']);
      expect(await list(directory, id, { prefix: 'a1', after: 'a' })).toEqual(['a1']);
      expect(await list(directory, id, { prefix: 'a', after: 'b' })).toEqual([]);
      expect(await list(directory, id, { limit: 0 })).toEqual([]);
    });

    test('notes a bucket once, with the time of its newest life', async (directory) => {
      const { id: ownerId } = account();
      const name = nameOf(fresh('bucket-'));
      for (const createdAtMs of [START_MS, START_MS + 5, START_MS + 5])
        await add(directory, ownerId, name, createdAtMs);
      const page = await directory.call('listBuckets', { ownerId, prefix: '', after: '', limit: 10 });
      expect(page).toEqual([{ name, createdAtMs: START_MS + 5 }]);
      for (const _ of [1, 2]) await directory.call('removeBucket', { ownerId, name });
      expect(await list(directory, ownerId, {})).toEqual([]);
    });

    test('takes a note back from the account that is named only', async (directory) => {
      const [owner, stranger] = [account().id, account().id];
      const name = nameOf(fresh('bucket-'));
      await add(directory, owner, name);
      await add(directory, stranger, name);
      await directory.call('removeBucket', { ownerId: stranger, name });
      expect(await list(directory, owner, {})).toEqual([name]);
      expect(await list(directory, stranger, {})).toEqual([]);
    });

    test('knows a removed name until it is forgotten', async (directory) => {
      const [owner, stranger] = [account().id, account().id];
      const names = [fresh('bucket-'), fresh('bucket-'), fresh('bucket-')].map(nameOf);
      const [first, second, third] = names as [BucketName, BucketName, BucketName];
      for (const name of names) await add(directory, owner, name);
      await add(directory, stranger, second, START_MS + 1);
      await directory.call('removeBucket', { ownerId: owner, name: first });
      const namesAfter = (name: string, limit = 3) => directory.call('listBucketNames', { after: name, limit });
      const before = first.slice(0, -1);
      expect(await namesAfter(before)).toEqual(names);
      expect(await namesAfter(before, 2)).toEqual([first, second]);
      expect(await namesAfter(first, 1)).toEqual([second]);

      const forget = (name: BucketName, addedBeforeMs: number) =>
        directory.call('forgetBucketName', { name, addedBeforeMs });
      await forget(first, START_MS);
      expect(await namesAfter(before)).toEqual(names);
      await forget(first, START_MS + 1);
      await forget(first, START_MS + 1);
      expect(await namesAfter(before, 2)).toEqual([second, third]);

      await forget(second, START_MS + 1);
      expect(await namesAfter(before, 1)).toEqual([second]);
      expect(await list(directory, owner, {})).toEqual([third]);
      expect(await list(directory, stranger, {})).toEqual([second]);
    });
  });
}
