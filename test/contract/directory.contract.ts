// What every directory must do. Bound to an adapter in a file of that adapter. Other accounts may
// be there.
import { describe, expect } from 'vitest';
import type { HostedDomain } from '../../src/domain/hosting.ts';
import type { BucketLocation } from '../../src/domain/locations/bucket-locations.ts';
import type {
  AccessKeyId,
  Account,
  AccountId,
  BucketAddress,
  BucketId,
  BucketName,
} from '../../src/domain/nouns.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { accountJobsContract } from './account-jobs.contract.ts';
import { auditContract } from './audit.contract.ts';
import { billingContract } from './billing.contract.ts';
import { fresh, START_MS } from './index/samples.ts';
import { invitationsContract } from './invitations.contract.ts';
import { linkIdsContract } from './link-ids.contract.ts';
import { membersContract } from './members.contract.ts';
import { signInContract } from './sign-in.contract.ts';
import { type Subject, testsOf } from './subject.ts';
import { webhooksContract } from './webhooks.contract.ts';

const keyIdOf = () => fresh('KEY') as AccessKeyId;
const nameOf = (text: string) => text as BucketName;

/** Runs the contract. */
export function directoryContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);
  const account = (displayName = 'Jürgen 😀'): Account => ({
    id: fresh('account') as AccountId,
    displayName,
  });
  const get = (directory: Directory, id: AccessKeyId) => directory.call('getAccessKey', { id });
  const add = (directory: Directory, ownerId: AccountId, name: string, createdAtMs = START_MS) =>
    directory.call('addBucket', { ownerId, name: nameOf(name), createdAtMs });
  const list = async (
    directory: Directory,
    ownerId: AccountId,
    query: Partial<{ prefix: string; after: string; limit: number }>,
  ) =>
    (
      await directory.call('listBuckets', { ownerId, prefix: '', after: '', limit: 1000, ...query })
    ).map(({ name }) => name);

  auditContract(subject);
  accountJobsContract(subject);
  billingContract(subject);
  linkIdsContract(subject);
  membersContract(subject);
  invitationsContract(subject);
  signInContract(subject);
  webhooksContract(subject);

  describe(`directory: ${subject.name}`, () => {
    test('keeps an account as it was added and changed, until it goes', async (directory) => {
      for (const isEnabled of [true, false]) {
        const { id, displayName } = account();
        const added = { id, displayName, createdAtMs: START_MS, isEnabled, revision: 1 };
        const read = () => directory.call('getAccount', { id });
        expect(await read()).toBe(null);
        await directory.call('addAccount', { account: added });
        expect(await read()).toEqual(added);
        // A repeated call, or another account of that id, changes nothing.
        await directory.call('addAccount', { account: { ...added, displayName: 'other' } });
        expect(await read()).toEqual(added);

        const change = { id, revision: 1, displayName: 'new', isEnabled: !isEnabled };
        const changed = { ...added, ...change, revision: 2 };
        for (const _ of [1, 2])
          expect(await directory.call('updateAccount', change)).toEqual(changed);
        expect(await read()).toEqual(changed);
        const late = directory.call('updateAccount', { ...change, displayName: 'late' });
        await expect(late).rejects.toMatchObject({ code: 'PreconditionFailed' });

        await directory.call('removeAccount', { id });
        expect(await read()).toBe(null);
        await expect(directory.call('removeAccount', { id })).rejects.toMatchObject({
          code: 'NoSuchAccount',
        });
      }
    });

    test('knows an access key with its account, and no other', async (directory) => {
      const owner = account();
      const [id, other] = [keyIdOf(), keyIdOf()];
      await directory.call('putAccount', { account: owner, keys: [{ id, secret: 's/+= ä' }] });
      expect(await get(directory, id)).toMatchObject({ id, secret: 's/+= ä', account: owner });
      expect(await get(directory, other)).toBe(null);
      expect(await get(directory, id.toLowerCase() as AccessKeyId)).toBe(null);
    });

    test('knows a bucket name from its note until it is forgotten', async (directory) => {
      const owner = account();
      const name = nameOf(fresh('bucket'));
      const noted = () => directory.call('getBucketName', { name });
      expect(await noted()).toBe(null);
      await add(directory, owner.id, name);
      expect(await noted()).toEqual({ location: null });
      // Blobs may be left of a bucket that is gone.
      await directory.call('removeBucket', { ownerId: owner.id, name, createdAtMs: START_MS });
      expect(await noted()).toEqual({ location: null });
      await directory.call('forgetBucketName', { name, addedBeforeMs: START_MS + 1 });
      expect(await noted()).toBe(null);
    });

    test('keeps the location of a name for as long as the name', async (directory) => {
      const owner = account();
      const name = nameOf(fresh('bucket'));
      const note = (location: BucketLocation | null, createdAtMs = START_MS) =>
        directory.call('addBucket', { ownerId: owner.id, name, createdAtMs, location });
      const noted = () => directory.call('getBucketName', { name });
      for (const location of ['eu', 'weur', null] as const) {
        await note(location);
        expect(await noted()).toEqual({ location: 'eu' });
      }
      await note('us', START_MS + 5);
      await directory.call('forgetBucketName', { name, addedBeforeMs: START_MS + 5 });
      expect(await noted()).toEqual({ location: 'eu' });
      const after = name.slice(0, -1);
      expect(await directory.call('listBucketNames', { after, limit: 1 })).toEqual([name]);
      await directory.call('forgetBucketName', { name, addedBeforeMs: START_MS + 6 });
      expect(await noted()).toBe(null);
      // A name that nobody chose a location for gets none by a repetition.
      await note(null, START_MS + 7);
      await note('eu', START_MS + 8);
      expect(await noted()).toEqual({ location: null });
    });

    test('replaces an account and its keys, and leaves others alone', async (directory) => {
      const owner = account();
      const stranger = account('stranger');
      const [first, second, foreign] = [keyIdOf(), keyIdOf(), keyIdOf()];
      await directory.call('putAccount', {
        account: stranger,
        keys: [{ id: foreign, secret: 'f' }],
      });
      await directory.call('putAccount', { account: owner, keys: [{ id: first, secret: '1' }] });
      const renamed = { ...owner, displayName: 'new' };
      for (const _ of [1, 2]) {
        await directory.call('putAccount', {
          account: renamed,
          keys: [{ id: second, secret: '2' }],
        });
      }
      expect(await get(directory, first)).toBe(null);
      expect(await get(directory, second)).toMatchObject({
        id: second,
        secret: '2',
        account: renamed,
      });
      expect(await get(directory, foreign)).toMatchObject({ account: stranger });
      await directory.call('putAccount', { account: renamed, keys: [] });
      expect(await get(directory, second)).toBe(null);
    });

    test('keeps an account that has buckets until the last one is gone', async (directory) => {
      const owner = account();
      const [id, name] = [keyIdOf(), nameOf(fresh('bucket'))];
      const remove = () => directory.call('removeAccount', { id: owner.id });
      await directory.call('putAccount', { account: owner, keys: [{ id, secret: 's' }] });
      await add(directory, owner.id, name);
      await expect(remove()).rejects.toMatchObject({ code: 'AccountNotEmpty' });
      expect(await get(directory, id)).toMatchObject({ account: owner });
      await directory.call('removeBucket', { ownerId: owner.id, name, createdAtMs: START_MS });
      await remove();
      expect(await get(directory, id)).toBe(null);
      await expect(remove()).rejects.toMatchObject({ code: 'NoSuchAccount' });
    });

    test('knows accounts by id', async (directory) => {
      const [one, two] = [account('one'), account('two')];
      for (const owner of [one, two])
        await directory.call('putAccount', { account: owner, keys: [] });
      const ids = [two.id, fresh('account') as AccountId, one.id];
      const found = await directory.call('getAccounts', { ids });
      expect(found.toSorted((a, b) => a.displayName.localeCompare(b.displayName))).toEqual([
        one,
        two,
      ]);
      expect(await directory.call('getAccounts', { ids: [] })).toEqual([]);
    });

    test('lists buckets of an account in byte order, by prefix and page', async (directory) => {
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
      const page = await directory.call('listBuckets', {
        ownerId,
        prefix: '',
        after: '',
        limit: 10,
      });
      expect(page).toEqual([{ name, createdAtMs: START_MS + 5 }]);
      const remove = (createdAtMs: number) =>
        directory.call('removeBucket', { ownerId, name, createdAtMs });
      // The deletion of an earlier bucket of this name comes late.
      await remove(START_MS + 4);
      expect(await list(directory, ownerId, {})).toEqual([name]);
      for (const _ of [1, 2]) await remove(START_MS + 5);
      expect(await list(directory, ownerId, {})).toEqual([]);
    });

    test('takes a note back from the account that is named only', async (directory) => {
      const [owner, stranger] = [account().id, account().id];
      const name = nameOf(fresh('bucket-'));
      await add(directory, owner, name);
      await add(directory, stranger, name);
      await directory.call('removeBucket', { ownerId: stranger, name, createdAtMs: START_MS });
      expect(await list(directory, owner, {})).toEqual([name]);
      expect(await list(directory, stranger, {})).toEqual([]);
    });

    test('remembers how far the sweeper came', async (directory) => {
      for (const after of ['some-bucket', null]) {
        for (const _ of [1, 2])
          await directory.call('setSweepCursor', { startedAtMs: START_MS, after });
        expect(await directory.call('getSweepCursor', {})).toEqual({
          startedAtMs: START_MS,
          after,
        });
      }
    });

    test('knows a removed name until it is forgotten', async (directory) => {
      const [owner, stranger] = [account().id, account().id];
      const names = [fresh('bucket-'), fresh('bucket-'), fresh('bucket-')].map(nameOf);
      const [first, second, third] = names as [BucketName, BucketName, BucketName];
      for (const name of names) await add(directory, owner, name);
      await add(directory, stranger, second, START_MS + 1);
      await directory.call('removeBucket', { ownerId: owner, name: first, createdAtMs: START_MS });
      const namesAfter = (name: string, limit = 3) =>
        directory.call('listBucketNames', { after: name, limit });
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

    const bucketOf = (): BucketAddress => {
      const name = nameOf(fresh('bucket-'));
      return { id: `${name}~1` as BucketId, name };
    };
    const hostOf = () => `${fresh('host').toLowerCase()}.example`;
    const bind = (
      directory: Directory,
      bucket: BucketAddress,
      domains: readonly HostedDomain[],
      mayTake: readonly { host: string; bucketId: BucketId }[] = [],
    ) => directory.call('bindHosts', { bucket, domains, mayTake });

    test('binds host names to a bucket, in place of those it had', async (directory) => {
      const bucket = bucketOf();
      const [first, second, third] = [hostOf(), hostOf(), hostOf()];
      const bound = (host: string, prefix: string) => ({
        host,
        prefix,
        bucket: bucket.name,
        bucketId: bucket.id,
      });
      expect(await directory.findHost(first)).toBe(null);
      for (const _ of [1, 2]) {
        await bind(directory, bucket, [
          { host: first, prefix: '' },
          { host: second, prefix: 'site ü/' },
        ]);
      }
      expect(await directory.findHost(first)).toEqual(bound(first, ''));
      expect(directory.peekHost(first)).toEqual(bound(first, ''));
      expect(await directory.findHost(second)).toEqual(bound(second, 'site ü/'));
      expect(await directory.call('getHost', { host: second })).toEqual(bound(second, 'site ü/'));
      await bind(directory, bucket, [
        { host: second, prefix: '' },
        { host: third, prefix: 'x/' },
      ]);
      for (const read of [
        (host: string) => directory.findHost(host),
        (host: string) => directory.call('getHost', { host }),
      ]) {
        expect([await read(first), await read(second), await read(third)]).toEqual([
          null,
          bound(second, ''),
          bound(third, 'x/'),
        ]);
      }
      await bind(directory, bucket, []);
      expect([await directory.findHost(second), await directory.findHost(third)]).toEqual([
        null,
        null,
      ]);
    });

    test('gives no host to two buckets, unless the first is named as gone', async (directory) => {
      const [holder, other] = [bucketOf(), bucketOf()];
      const [taken, free] = [hostOf(), hostOf()];
      const both = [taken, free].map((host) => ({ host, prefix: '' }));
      await bind(directory, holder, [{ host: taken, prefix: 'a/' }]);
      const refused = { code: 'DomainAlreadyBound', fields: { Domain: taken } };
      await expect(bind(directory, other, both)).rejects.toMatchObject(refused);
      expect([await directory.findHost(free), (await directory.findHost(taken))?.bucket]).toEqual([
        null,
        holder.name,
      ]);
      const wrong = [{ host: taken, bucketId: other.id }];
      await expect(bind(directory, other, both, wrong)).rejects.toMatchObject(refused);
      await bind(directory, other, both, [{ host: taken, bucketId: holder.id }]);
      expect((await directory.findHost(taken))?.bucketId).toBe(other.id);
      // What was taken from it is not the first one's to give back.
      await bind(directory, holder, []);
      expect((await directory.findHost(taken))?.bucketId).toBe(other.id);
    });

    test('keeps named keys, the first of a name, and lists them in order', async (directory) => {
      const prefix = `${fresh('key')}-`;
      const keyOf = (name: string, wrappedKey = 'w') => ({
        id: prefix + name,
        wrappedKey,
        isEnabled: true,
        accountIds: null,
        createdAtMs: 5,
      });
      expect(await directory.call('getKmsKey', { id: `${prefix}a` })).toBe(null);
      for (const name of ['b', 'a', 'ü']) {
        expect(await directory.call('addKmsKey', { key: keyOf(name) })).toEqual(keyOf(name));
      }
      expect(await directory.call('addKmsKey', { key: keyOf('a', 'other') })).toEqual(keyOf('a'));
      expect(await directory.call('getKmsKey', { id: `${prefix}a` })).toEqual(keyOf('a'));
      const list = (after: string, limit: number) =>
        directory.call('listKmsKeys', { after, limit });
      expect(await list(prefix, 3)).toEqual(['a', 'b', 'ü'].map((name) => keyOf(name)));
      expect(await list(`${prefix}a`, 1)).toEqual([keyOf('b')]);
    });

    test('enables a KMS key and gives it to accounts, seen at once', async (directory) => {
      const id = fresh('key');
      const key = {
        id,
        wrappedKey: 'w',
        isEnabled: true,
        accountIds: ['a' as AccountId],
        createdAtMs: 5,
      };
      expect(await directory.call('changeKmsKey', { id, change: { isEnabled: false } })).toBe(null);
      await directory.call('addKmsKey', { key });
      expect(await directory.call('getKmsKey', { id })).toEqual(key);
      for (const isEnabled of [false, false, true]) {
        expect(await directory.call('changeKmsKey', { id, change: { isEnabled } })).toEqual({
          ...key,
          isEnabled,
        });
        expect(await directory.call('getKmsKey', { id })).toEqual({ ...key, isEnabled });
      }
      for (const accountIds of [null, [], ['b' as AccountId]]) {
        expect(await directory.call('changeKmsKey', { id, change: { accountIds } })).toEqual({
          ...key,
          accountIds,
        });
        expect(await directory.call('getKmsKey', { id })).toEqual({ ...key, accountIds });
      }
    });
  });
}
