// How many rows the tables of the directory come to have that strangers and tenants can fill, and
// how many of them one call removes.
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/domain/accounts.ts';
import type { AccessKeyId } from '../../src/domain/nouns.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { createDirectoryIndex } from '../../src/index/directory-index.ts';
import { DIRECTORY_SCHEMA } from '../../src/index/tables/directory-schema.ts';
import type { DirectoryApi } from '../../src/ports/directory.ts';
import { OWNER, START_MS } from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

/** Rows that a flood has left, all of them too old at START_MS. */
const FLOOD = 500;
/** Rows that one call may remove at most. */
const AT_ONCE = 64;

const SUBJECTS = { name: 'n', source: 's', pair: 'p' };
const HOLDER = {
  ...{ accountId: OWNER, role: 'owner' as const, credentialDigest: null },
  ...{ memberId: 'm', accessKeyId: null },
};

function sessionAt(
  createdAtMs: number,
  id: string,
  of: Partial<Session> = {},
): { digest: string; session: Session } {
  const times = { createdAtMs, expiresAtMs: createdAtMs + HOUR_MS, provenAtMs: createdAtMs };
  return {
    digest: `digest ${id}`,
    session: { ...HOLDER, ...times, id, label: '', source: '', lastUsedMs: 0, ...of },
  };
}

/** Each table with a row of the flood, and a call long after it that is to forget some of them. */
const TABLES: readonly (readonly [
  table: string,
  flood: (directory: DirectoryApi, at: number) => void,
  call: (directory: DirectoryApi, at: number) => void,
])[] = [
  [
    'sign_in_failures',
    (directory, at) => directory.countAttempt({ subject: `old ${at}`, free: 1, nowMs: 0 }),
    (directory, at) => directory.countAttempt({ subject: 'new', free: 100, nowMs: START_MS + at }),
  ],
  [
    'sign_in_sources',
    (directory, at) => directory.endSignIn({ ...SUBJECTS, pair: `old ${at}`, nowMs: 0 }),
    (directory, at) => directory.endSignIn({ ...SUBJECTS, nowMs: START_MS + at }),
  ],
  [
    'sessions',
    (directory, at) => directory.addSession(sessionAt(0, `old ${at}`, { memberId: `m ${at}` })),
    (directory, at) => directory.addSession(sessionAt(START_MS + at, `new ${at}`)),
  ],
  [
    'challenges',
    (directory, at) =>
      directory.addChallenge({ digest: `old ${at}`, subject: 's', nowMs: 0, expiresAtMs: 1 }),
    (directory, at) =>
      directory.addChallenge({
        digest: `new ${at}`,
        subject: 's',
        nowMs: START_MS,
        expiresAtMs: START_MS + 1,
      }),
  ],
  [
    'kept_answers',
    (directory, at) =>
      directory.beginIdempotent({
        caller: `c ${at}`,
        key: 'k',
        fingerprint: 'f',
        attemptId: 'a',
        nowMs: 0,
      }),
    (directory, at) =>
      directory.beginIdempotent({
        caller: 'c',
        key: `k ${at}`,
        fingerprint: 'f',
        attemptId: 'a',
        nowMs: START_MS,
      }),
  ],
];

function openDirectory() {
  const sql = openMigrated(DIRECTORY_SCHEMA);
  const count = (table: string) =>
    sql.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n ?? 0;
  return { directory: createDirectoryIndex(sql), count };
}

describe('rows of the directory that end by age', () => {
  it.each(TABLES)('go with others that come, some at a time: %s', (table, flood, call) => {
    const { directory, count } = openDirectory();
    for (let at = 0; at < FLOOD; at++) flood(directory, at);
    expect(count(table)).toBe(FLOOD);
    call(directory, 0);
    expect(count(table)).toBeGreaterThan(FLOOD - AT_ONCE);
    const calls = Math.ceil(FLOOD / AT_ONCE);
    for (let at = 1; at < calls; at++) call(directory, at);
    expect(count(table)).toBeLessThanOrEqual(calls);
  });

  it('count for nothing when they are too old, even while a backlog keeps them', () => {
    const { directory } = openDirectory();
    for (let at = 0; at < FLOOD; at++)
      directory.countAttempt({ subject: `old ${at}`, free: 1, nowMs: at });
    for (let at = 0; at < 9; at++)
      directory.countAttempt({ subject: 'late', free: 9, nowMs: FLOOD });
    const attempt = { subject: 'late', free: 9, nowMs: FLOOD + HOUR_MS + 1 };
    for (let at = 0; at < 9; at++) expect(directory.countAttempt(attempt)).toEqual({ waitMs: 0 });
    expect(directory.countAttempt(attempt)).toEqual({ waitMs: 1000 });
  });

  it('answer no repeats when they are too old', () => {
    const { directory } = openDirectory();
    const of = (caller: string, nowMs: number) => ({
      caller,
      key: 'k',
      fingerprint: 'f',
      attemptId: `a ${nowMs}`,
      nowMs,
    });
    for (let at = 0; at < FLOOD; at++) directory.beginIdempotent(of(`c ${at}`, at));
    directory.endIdempotent({
      caller: 'c 499',
      key: 'k',
      record: { status: 200, headers: '{}', encryptedBody: '' },
    });
    expect(directory.beginIdempotent(of('c 499', FLOOD))).toMatchObject({ kind: 'answered' });
    expect(directory.beginIdempotent(of('c 499', FLOOD + DAY_MS))).toEqual({ kind: 'new' });
  });
});

describe('sessions', () => {
  it('of one holder are a thousand at most, the newest, and end none of another', () => {
    const { directory, count } = openDirectory();
    const idOf = (at: number) => `${at}`.padStart(5, '0');
    const ofKey = { memberId: null, accessKeyId: 'K' as AccessKeyId };
    directory.addSession(sessionAt(START_MS, idOf(0), { memberId: 'other' }));
    for (let at = 1; at <= 1005; at++) directory.addSession(sessionAt(START_MS, idOf(at), ofKey));
    expect(count('sessions')).toBe(1001);
    const of = (at: number) =>
      directory.getSession({ digest: `digest ${idOf(at)}`, nowMs: START_MS })?.id ?? null;
    expect([5, 6, 1005].map(of)).toEqual([null, idOf(6), idOf(1005)]);
    const listing = {
      accountId: OWNER,
      holder: { memberId: 'other', accessKeyId: null },
      before: '',
      limit: 10,
    };
    expect(directory.listSessions({ ...listing, nowMs: START_MS })).toHaveLength(1);
  });
});
