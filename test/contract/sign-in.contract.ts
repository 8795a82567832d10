// What every directory must keep of attempts to sign in: who waits for whose failures, and what the
// audit log says of them. Part of directory.contract.ts.
import { describe, expect } from 'vitest';
import type { FailedSignIn, SignInSubjects } from '../../src/domain/accounts.ts';
import type { AccessKeyId, AccountId } from '../../src/domain/nouns.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { fresh, START_MS } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

const FILTER = { action: null, memberId: null, accessKeyId: null, fromMs: null, toMs: null };
/** Ids are in the order of their time, as those of core are. */
const idOf = (number: number) => `${number}`.padStart(6, '0');

/** Attempts on one directory: names and sources that no other test has. */
function attemptsOn(directory: Directory) {
  const own = fresh('attempts');
  const subjectsOf = (name: string, source: string): SignInSubjects => ({
    name: `${own} name ${name}`,
    source: `${own} source ${source}`,
    pair: `${own} pair ${name} ${source}`,
  });
  const begin = async (name: string, source: string, nowMs = START_MS, isGuessable = true) => {
    const attempt = { ...subjectsOf(name, source), isGuessable, nowMs };
    return (await directory.call('beginSignIn', attempt)).waitMs;
  };
  const end = (name: string, source: string, nowMs = START_MS) =>
    directory.call('endSignIn', { ...subjectsOf(name, source), nowMs });
  /** Fails that often; how many of these attempts were let in. */
  const fail = async (name: string, source: string, times: number, isGuessable = true) => {
    let letIn = 0;
    for (let at = 0; at < times; at++) {
      if ((await begin(name, source, START_MS, isGuessable)) === 0) letIn++;
    }
    return letIn;
  };
  return { begin, end, fail };
}

function failuresOn(directory: Directory) {
  const accountId = fresh('account') as AccountId;
  let made = 0;
  const note = (of: Partial<FailedSignIn>, perDay = 3, keepFromMs = 0) => {
    const who = {
      credential: 'login ada',
      memberId: 'ada',
      accessKeyId: null,
      source: '192.0.2.1',
    };
    const rest = { id: idOf(made), requestId: `r${made}`, atMs: START_MS + made };
    made++;
    const failure = { accountId, ...who, ...rest, ...of };
    return directory.call('noteFailedSignIn', { failure, perDay, keepFromMs });
  };
  const list = (filter: Partial<typeof FILTER> & object = {}, limit = 100) =>
    directory.call('listAudit', { accountId, before: '', limit, filter: { ...FILTER, ...filter } });
  const counts = async () =>
    (await list()).map(({ credential, source, detail }) => [
      credential,
      source,
      JSON.parse(detail).failures,
    ]);
  return { accountId, note, list, counts };
}

/** Runs the contract. */
export function signInContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);

  describe(`attempts to sign in: ${subject.name}`, () => {
    test('wait after ten failures, longer and longer, up to a minute', async (directory) => {
      const { begin, fail } = attemptsOn(directory);
      expect(await fail('ada', 'cafe', 12)).toBe(10);
      expect(await begin('ada', 'cafe', START_MS + 999)).toBe(1);
      expect(await begin('ada', 'cafe', START_MS + 1000)).toBe(0);
      expect(await begin('ada', 'cafe', START_MS + 1000)).toBe(2000);
      let atMs = START_MS + 1000;
      let waitMs = 0;
      for (let at = 0; at < 9; at++) {
        waitMs = await begin('ada', 'cafe', atMs);
        atMs += waitMs;
        expect(await begin('ada', 'cafe', atMs)).toBe(0);
      }
      expect(waitMs).toBe(60_000);
      expect(await begin('ada', 'cafe', atMs + HOUR_MS + 1)).toBe(0);
    });

    test('from one source shut nobody else out, however many there are', async (directory) => {
      const { begin, fail } = attemptsOn(directory);
      expect(await fail('ada', 'attacker', 300)).toBe(10);
      expect(await begin('ada', 'home')).toBe(0);
      expect(await begin('eve', 'attacker')).toBe(0);
    });

    test('at many names from one source wait too', async (directory) => {
      const { fail, begin } = attemptsOn(directory);
      for (let at = 0; at < 30; at++) expect(await fail(`name ${at}`, 'attacker', 1)).toBe(1);
      expect(await fail('name 31', 'attacker', 1)).toBe(0);
      expect(await begin('name 31', 'home')).toBe(0);
    });

    test('from many sources stop strangers, not a source known before', async (directory) => {
      const { begin, end, fail } = attemptsOn(directory);
      expect(await begin('ada', 'home')).toBe(0);
      await end('ada', 'home');
      for (let at = 0; at < 10; at++) expect(await fail('ada', `botnet ${at}`, 20)).toBe(10);
      expect(await begin('ada', 'elsewhere')).toBeGreaterThan(0);
      expect(await begin('ada', 'home')).toBe(0);
      // A known source has a count of its own all the same.
      expect(await fail('ada', 'home', 20)).toBe(9);
      // A count is forgotten after a season.
      const lateMs = START_MS + 91 * DAY_MS;
      expect(await fail('bob', 'home', 1)).toBe(1);
      expect(await begin('ada', 'home', lateMs)).toBe(0);
    });

    test('with a right secret are no failures, and clear no others', async (directory) => {
      const { begin, end, fail } = attemptsOn(directory);
      for (let at = 0; at < 20; at++) {
        expect(await begin('mallory', 'office')).toBe(0);
        await end('mallory', 'office');
      }
      for (let at = 0; at < 30; at++) {
        expect(await fail(`victim ${at}`, 'office', 1)).toBe(1);
        await begin('mallory', 'office');
        await end('mallory', 'office');
      }
      expect(await fail('victim 31', 'office', 1)).toBe(0);
    });

    test('with random secrets wait for their source alone', async (directory) => {
      const { begin, end, fail } = attemptsOn(directory);
      for (let at = 0; at < 12; at++) expect(await fail('QS1', `botnet ${at}`, 40, false)).toBe(30);
      expect(await begin('QS1', 'home', START_MS, false)).toBe(0);
      await end('QS1', 'home');
      expect(await fail('QS2', 'home', 40, false)).toBe(30);
      expect(await fail('QS1', 'home', 40, false)).toBe(40);
    });

    test('of another kind are counted on a subject, and taken back', async (directory) => {
      const subject = fresh('subject');
      const count = async (nowMs = START_MS) =>
        (await directory.call('countAttempt', { subject, free: 2, nowMs })).waitMs;
      expect([await count(), await count(), await count()]).toEqual([0, 0, 1000]);
      await directory.call('uncountAttempt', { subject });
      expect([await count(), await count(), await count(START_MS + HOUR_MS + 1)]).toEqual([
        0, 1000, 0,
      ]);
    });
  });

  describe(`failures to sign in: ${subject.name}`, () => {
    test('stand in the audit log, one entry a credential, source and day', async (directory) => {
      const { accountId, note, list } = failuresOn(directory);
      for (let at = 0; at < 5; at++) await note({});
      await note({ source: '192.0.2.2' });
      await note({ atMs: START_MS + DAY_MS });
      const entries = await list();
      expect(entries.map(({ detail }) => JSON.parse(detail).failures)).toEqual([1, 1, 5]);
      expect(entries[2]).toEqual({
        ...{
          id: idOf(0),
          accountId,
          atMs: START_MS,
          action: 'signInFailed',
          target: '/-/api/v1/sessions',
        },
        detail: JSON.stringify({ failures: 5, lastAt: new Date(START_MS + 4).toISOString() }),
        ...{ memberId: 'ada', accessKeyId: null, credential: 'login ada', source: '192.0.2.1' },
        ...{ requestId: 'r0', status: 401 },
      });
    });

    test('are counted together beyond a bound, and push nothing out', async (directory) => {
      const { accountId, note, counts } = failuresOn(directory);
      const change = {
        action: 'putCap',
        target: '',
        detail: '{"failures":0}',
        source: 's',
        status: 200,
      };
      const who = { memberId: null, accessKeyId: null, credential: 'session s', requestId: 'r' };
      const entry = { ...change, ...who, accountId, id: idOf(0), atMs: START_MS };
      await directory.call('addAudit', { entry, keepFromMs: 0, keepMax: 1 });
      for (let at = 0; at < 50; at++) await note({ id: idOf(at + 1), source: `198.18.0.${at}` });
      await note({ source: '198.18.0.1' });
      expect(await counts()).toEqual([
        ['many', 'many', 47],
        ['login ada', '198.18.0.2', 1],
        ['login ada', '198.18.0.1', 2],
        ['login ada', '198.18.0.0', 1],
        ['session s', 's', 0],
      ]);
    });

    test("are found by action, member, key and time, in the log's order", async (directory) => {
      const { accountId, note, list } = failuresOn(directory);
      await note({ credential: 'access-key K', memberId: null, accessKeyId: 'K' as AccessKeyId });
      await note({});
      const ids = async (filter: object, limit?: number) =>
        (await list(filter, limit)).map(({ id }) => id);
      expect(await ids({ action: 'signInFailed' })).toEqual([idOf(1), idOf(0)]);
      expect([await ids({ action: 'signIn' }), await ids({ memberId: 'ada' })]).toEqual([
        [],
        [idOf(1)],
      ]);
      expect([await ids({ accessKeyId: 'K' }), await ids({ toMs: START_MS + 1 })]).toEqual([
        [idOf(0)],
        [idOf(0)],
      ]);
      expect(await ids({}, 1)).toEqual([idOf(1)]);
      const after = { accountId, before: idOf(1), limit: 5, filter: FILTER };
      expect((await directory.call('listAudit', after)).map(({ id }) => id)).toEqual([idOf(0)]);
      await note({ atMs: START_MS + 2 * DAY_MS }, 3, START_MS + 2 * DAY_MS - 1);
      expect(await ids({})).toEqual([idOf(2)]);
    });
  });

  describe(`sessions and tokens: ${subject.name}`, () => {
    test('end with their passkey, but for the one that removes it', async (directory) => {
      const owner = { accountId: fresh('account') as AccountId, memberId: fresh('member') };
      const [bound, other] = [fresh('digest'), fresh('digest')];
      const addSession = async (credentialDigest: string) => {
        const id = fresh('session');
        const holder = { ...owner, role: 'owner', accessKeyId: null, credentialDigest } as const;
        const times = { createdAtMs: START_MS, expiresAtMs: START_MS + HOUR_MS };
        const session = {
          ...holder,
          ...times,
          id,
          label: '',
          source: '',
          lastUsedMs: 0,
          provenAtMs: START_MS,
        };
        await directory.call('addSession', { digest: fresh('digest'), session });
        const token = { ...holder, ...times, id: `token of ${id}`, name: 'n', scopes: null };
        await directory.call('addToken', { digest: fresh('digest'), token });
        return id;
      };
      const [own, lost, elsewhere] = [
        await addSession(bound),
        await addSession(bound),
        await addSession(other),
      ];
      const id = fresh('passkey');
      const made = { id, name: 'n', publicKey: 'k', counter: 0, transports: [] };
      await directory.call('addPasskey', {
        passkey: { ...owner, ...made, createdAtMs: 1, lastUsedMs: null },
      });
      const removal = { ...owner, id, credentialDigest: bound, exceptId: own };
      expect(await directory.call('removePasskey', removal)).toBe(true);
      expect(await directory.call('removePasskey', removal)).toBe(false);
      const page = {
        accountId: owner.accountId,
        holder: null,
        before: '',
        limit: 9,
        nowMs: START_MS,
      };
      const left = (await directory.call('listSessions', page)).map((session) => session.id);
      expect([new Set(left), left.includes(lost)]).toEqual([new Set([own, elsewhere]), false]);
      const tokens = (await directory.call('listTokens', page)).map((token) => token.id);
      expect(tokens).toEqual([`token of ${elsewhere}`]);
    });

    test('keep what they are bound to, and when a session was proved', async (directory) => {
      const accountId = fresh('account') as AccountId;
      const by = {
        memberId: null,
        accessKeyId: 'K' as AccessKeyId,
        credentialDigest: fresh('digest'),
      };
      const holder = { ...by, accountId, role: 'owner' } as const;
      const times = { createdAtMs: START_MS, expiresAtMs: START_MS + HOUR_MS };
      const [token, session] = [
        { ...holder, ...times, id: fresh('t'), name: 'n', scopes: null },
        {
          ...holder,
          ...times,
          id: fresh('s'),
          label: '',
          source: '',
          lastUsedMs: 0,
          provenAtMs: START_MS,
        },
      ];
      const [tokenDigest, sessionDigest] = [fresh('digest'), fresh('digest')];
      await directory.call('addToken', { digest: tokenDigest, token });
      await directory.call('addSession', { digest: sessionDigest, session });
      expect(await directory.call('getToken', { digest: tokenDigest, nowMs: START_MS })).toEqual(
        token,
      );
      for (const atMs of [START_MS + 5, START_MS + 3]) {
        await directory.call('noteProof', { accountId, id: session.id, atMs });
        const found = await directory.call('getSession', {
          digest: sessionDigest,
          nowMs: START_MS,
        });
        expect(found).toEqual({ ...session, provenAtMs: START_MS + 5 });
      }
      await directory.call('noteProof', {
        accountId: 'other' as AccountId,
        id: session.id,
        atMs: START_MS + 9,
      });
      const found = await directory.call('getSession', { digest: sessionDigest, nowMs: START_MS });
      expect(found?.provenAtMs).toBe(START_MS + 5);
    });
  });
}
