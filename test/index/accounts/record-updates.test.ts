// Changes of accounts and access keys: one that is repeated is the same change, one that was made
// of an older record is refused, and only what takes rights away ends sessions.
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccessKeyRecord, AccountRecord } from '../../../src/domain/account-records.ts';
import type { AccessKeyId, AccountId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { createDirectoryIndex } from '../../../src/index/directory-index.ts';
import { DIRECTORY_SCHEMA } from '../../../src/index/tables/directory-schema.ts';
import type { DirectoryApi } from '../../../src/ports/directory.ts';
import { OWNER, START_MS } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const ACCOUNT: AccountRecord = {
  id: OWNER,
  displayName: 'Ada',
  createdAtMs: START_MS,
  isEnabled: true,
  revision: 1,
};
const KEY: AccessKeyRecord = {
  id: 'KEY' as AccessKeyId,
  accountId: OWNER,
  name: 'first',
  scope: null,
  role: null,
  createdAtMs: START_MS,
  expiresAtMs: null,
  isEnabled: true,
  lastUsedMs: null,
  revision: 1,
};
const SCOPE = { buckets: ['photos'], prefix: '', actions: 'read' } as never;

let directory: DirectoryApi;
beforeEach(() => {
  directory = createDirectoryIndex(openMigrated(DIRECTORY_SCHEMA));
  directory.addAccount({ account: ACCOUNT });
  directory.addAccessKey({ key: KEY, encryptedSecret: 's' });
});

/** Somebody signs in by the key; whether the session is there still. */
function signIn(): () => boolean {
  directory.addSession({
    digest: 'digest',
    session: {
      ...{ id: 'session', accountId: OWNER, role: 'owner', memberId: null },
      ...{ accessKeyId: KEY.id, credentialDigest: null, label: '', source: '' },
      ...{ createdAtMs: START_MS, provenAtMs: START_MS, expiresAtMs: START_MS + HOUR_MS },
      lastUsedMs: 0,
    },
  });
  return () => directory.getSession({ digest: 'digest', nowMs: START_MS }) !== null;
}

describe('a change of an access key', () => {
  const { accountId, id, revision, expiresAtMs, isEnabled } = KEY;
  const CHANGE = { accountId, id, revision, name: 'second', scope: null, expiresAtMs, isEnabled };
  const stored = () => directory.findAccessKeyRecord({ accountId, id });

  it.each([
    [{ name: 'third' }],
    [{ scope: SCOPE }],
    [{ expiresAtMs: START_MS + HOUR_MS }],
    [{ isEnabled: false }],
  ])('stores %j, and nothing else', (change) => {
    const expected = { ...KEY, name: 'second', ...change, revision: 2 };
    expect(directory.updateAccessKey({ ...CHANGE, ...change })).toEqual(expected);
    expect(stored()).toEqual(expected);
  });

  it('is the same change when it is repeated', () => {
    const first = directory.updateAccessKey(CHANGE);
    expect(directory.updateAccessKey(CHANGE)).toEqual(first);
    expect(stored()).toEqual({ ...KEY, name: 'second', revision: 2 });
  });

  it('is refused when another came before it, or it knows of one that did not', () => {
    directory.updateAccessKey(CHANGE);
    for (const other of [{ name: 'third' }, { revision: 3 }])
      expect(() => directory.updateAccessKey({ ...CHANGE, ...other })).toThrow(
        expect.objectContaining({ code: 'PreconditionFailed' }),
      );
    expect(stored()).toEqual({ ...KEY, name: 'second', revision: 2 });
  });

  it('is refused for a key of another account, or that is not there', () => {
    for (const other of [{ accountId: 'other' as AccountId }, { id: 'OTHER' as AccessKeyId }])
      expect(() => directory.updateAccessKey({ ...CHANGE, ...other })).toThrow(
        expect.objectContaining({ code: 'NoSuchAccessKey' }),
      );
    expect(stored()).toEqual(KEY);
  });

  it.each([
    [{ name: 'third' }, true],
    [{ expiresAtMs: START_MS + HOUR_MS }, true],
    [{ isEnabled: false }, false],
    [{ scope: SCOPE }, false],
  ])('to %j leaves sessions by the key: %s', (change, stays) => {
    const isSignedIn = signIn();
    directory.updateAccessKey({ ...CHANGE, ...change });
    expect(isSignedIn()).toBe(stays);
  });
});

describe('a change of an account', () => {
  const { id, revision } = ACCOUNT;
  const CHANGE = { id, revision, displayName: 'Grace', isEnabled: true };
  const stored = () => directory.getAccount({ id });

  it('is stored, and is the same change when it is repeated', () => {
    const expected = { ...ACCOUNT, displayName: 'Grace', revision: 2 };
    expect(directory.updateAccount(CHANGE)).toEqual(expected);
    expect(directory.updateAccount(CHANGE)).toEqual(expected);
    expect(stored()).toEqual(expected);
  });

  it('is refused when another came before it', () => {
    directory.updateAccount(CHANGE);
    const late = { ...CHANGE, displayName: 'Mary' };
    expect(() => directory.updateAccount(late)).toThrow(
      expect.objectContaining({ code: 'PreconditionFailed' }),
    );
    expect(stored()).toMatchObject({ displayName: 'Grace' });
  });

  it('ends sessions where it disables the account, and only there', () => {
    const isSignedIn = signIn();
    directory.updateAccount(CHANGE);
    expect(isSignedIn()).toBe(true);
    directory.updateAccount({ ...CHANGE, revision: 2, isEnabled: false });
    expect(isSignedIn()).toBe(false);
  });
});
