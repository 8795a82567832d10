// Many buckets and accounts that bill by alarms of their own, as on Cloudflare, with the code that
// their objects run, in virtual time. Instead of a database for each object there is one of each
// kind: every query names its bucket or account. Counts the calls and rows that Cloudflare bills.
import { createAccountAlarm } from '../../src/adapters/cloudflare/durable-objects/account-alarm.ts';
import { createCollectionAlarm } from '../../src/adapters/cloudflare/durable-objects/collection-alarm.ts';
import { createObjectAlarm } from '../../src/adapters/cloudflare/durable-objects/object-alarm.ts';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import { runAccount } from '../../src/core/billing/scheduled/account-run.ts';
import { requireTrustedTime } from '../../src/core/clock/trust-time.ts';
import type { Core } from '../../src/core/core.ts';
import { LEDGER_RULES } from '../../src/core/ledger-rules.ts';
import { collectStorage } from '../../src/core/metering/collect-storage.ts';
import { PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BucketName,
  BucketRecord,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../../src/domain/nouns.ts';
import { NO_FACTS } from '../../src/domain/object-facts.ts';
import { makeBucketId } from '../../src/domain/owner-bucket.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../src/index/directory-index.ts';
import { createLedgerIndex } from '../../src/index/ledger-index.ts';
import { DIRECTORY_SCHEMA } from '../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../src/index/tables/ledger-schema.ts';
import { migrate, type Schema } from '../../src/index/tables/schema.ts';
import { lastUsedHour, oldestUncollected } from '../../src/index/usage/uncollected.ts';
import type { Directory } from '../../src/ports/directory.ts';
import type { Ports } from '../../src/ports/index.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { createCountedSql } from '../simulate/platform/counted-sql.ts';
import { createUsage, type Usage } from '../simulate/prices.ts';
import { createAlarmQueue } from './alarm-queue.ts';

/** The Durable Object's own work, milliseconds: a call, and an alarm with its waits for calls. */
const OBJECT_MS = { call: 1, alarm: 30 };

export type Fleet = {
  /** Makes bucket number `at`, of account number `at` modulo the accounts, with one object. */
  store(at: number, sizeBytes: number): void;
  /** Lets time pass, with all alarms that go off in it. */
  runUntil(atMs: number): Promise<void>;
  /** What Cloudflare bills of all since it began. */
  usage(): Usage;
  readonly ledger: Ledger;
  readonly directory: Pick<Directory, 'call'>;
  readonly accountIds: readonly AccountId[];
  /** Runs of alarms: of buckets, of ledgers; those whose work failed. */
  readonly runs: { bucket: number; account: number; failed: number };
  /** Longest time from the end of a day until a bucket had brought it, milliseconds. */
  longestWaitMs(): number;
};

export function createFleet(
  accountCount: number,
  startMs: number,
  settings: Pick<Core['settings'], 'billingCloseHours' | 'rateCardId' | 'invoiceIssuer'>,
): Fleet {
  let nowMs = startMs;
  const clock = { nowMs: () => nowMs };
  const open = (schema: Schema) => {
    const sql = createCountedSql(openSqlite(':memory:', { readOnly: false }));
    migrate(sql, schema);
    return sql;
  };
  const sqls = {
    index: open(INDEX_SCHEMA),
    directory: open(DIRECTORY_SCHEMA),
    ledger: open(LEDGER_SCHEMA),
  };
  const index = createBucketIndex(sqls.index);
  const directoryIndex = createDirectoryIndex(sqls.directory);
  const ledgerIndex = createLedgerIndex(sqls.ledger, LEDGER_RULES);
  const rowsAtStart = () => sqls.index.rowsWritten() + sqls.directory.rowsWritten();
  const queue = createAlarmQueue();
  const calls = { directory: 0, ledger: 0 };
  const runs = { bucket: 0, account: 0, failed: 0 };
  let longestWaitMs = 0;
  const log = {
    info: () => undefined,
    error: () => {
      runs.failed += 1;
    },
  };

  const directory: Pick<Directory, 'call'> = {
    call: async (name, input) => {
      calls.directory += 1;
      return directoryIndex[name](input as never) as never;
    },
  };

  const accountIds = Array.from({ length: accountCount }, (_, at) => `account-${at}` as AccountId);
  const own: Ledger = { call: async (name, input) => ledgerIndex[name](input as never) as never };
  const portsOf = (ledger: Ledger) =>
    ({ clock, log, directory, ledger, steadyClock: null, usagePush: null }) as unknown as Ports;
  const core = { ports: portsOf(own), settings: { seed: [], ...settings } } as unknown as Core;
  const ledgers = new Map(
    accountIds.map((accountId) => {
      const wakes = queue.add(async () => {
        alarm.wentOff();
        runs.account += 1;
        await work.run();
      });
      const alarm = createObjectAlarm(wakes, null);
      const work = createAccountAlarm({
        accountId,
        alarm,
        lastUsedMs: () => lastUsedHour(sqls.ledger, accountId),
        work: (lastUsedMs) => runAccount(core, accountId, lastUsedMs),
        nowMs: clock.nowMs,
        log,
      });
      return [accountId, work] as const;
    }),
  );
  const ledger: Ledger = {
    async call(name, input) {
      calls.ledger += 1;
      const value = ledgerIndex[name](input as never);
      ledgers.get(input.accountId)?.schedule();
      return value as never;
    },
  };

  function store(at: number, sizeBytes: number): void {
    const name = `bucket-${at}` as BucketName;
    const ownerId = accountIds[at % accountCount] as AccountId;
    const collecting = {
      ...portsOf(ledger),
      metadataIndex: {
        call: async (_bucket: BucketName, call: keyof typeof index, input: unknown) =>
          index[call](input as never) as never,
      },
    } as unknown as Ports;
    const wakes = queue.add(async () => {
      alarm.wentOff();
      runs.bucket += 1;
      await collection.run();
    });
    const alarm = createObjectAlarm(wakes, null);
    const oldest = () => oldestUncollected(sqls.index, name);
    const collection = createCollectionAlarm({
      bucket: name,
      slot: alarm.slot(),
      oldestUncollected: oldest,
      async collect() {
        const hourMs = oldest()?.hourMs ?? nowMs;
        longestWaitMs = Math.max(longestWaitMs, nowMs - startOfNextDay(hourMs));
        await requireTrustedTime({ ports: collecting });
        await collectStorage({ ports: collecting }, name);
      },
      nowMs: clock.nowMs,
      log,
    });
    directoryIndex.addBucket({ ownerId, name, createdAtMs: nowMs });
    const bucket = index.createBucket({ bucket: recordOf(name, ownerId, nowMs) });
    const object = objectOf(nowMs, sizeBytes);
    index.commitObject({ bucket, object, condition: null, newReferences: [] });
    collection.schedule();
  }

  return {
    store,
    ledger: own,
    directory,
    accountIds,
    runs,
    longestWaitMs: () => longestWaitMs,
    async runUntil(atMs) {
      for (let hourMs = nowMs; hourMs < atMs; hourMs += HOUR_MS) {
        // The cron of the sweeper does so.
        directoryIndex.setSeenTime({ atMs: nowMs, steady: null });
        const untilMs = Math.min(hourMs + HOUR_MS, atMs);
        await queue.runUntil(untilMs, (dueMs) => {
          nowMs = Math.max(nowMs, dueMs);
        });
        nowMs = untilMs;
      }
    },
    usage() {
      const alarms = runs.bucket + runs.account;
      return {
        ...createUsage(),
        objectRequests: runs.bucket + calls.directory,
        objectActiveMs: runs.bucket * OBJECT_MS.alarm + calls.directory * OBJECT_MS.call,
        rowsWritten: rowsAtStart() + queue.alarmsSet(),
        ledgerRequests: runs.account + calls.ledger,
        ledgerActiveMs: runs.account * OBJECT_MS.alarm + calls.ledger * OBJECT_MS.call,
        ledgerRowsWritten: sqls.ledger.rowsWritten(),
        invocations: alarms + calls.directory + calls.ledger,
      };
    },
  };
}

const startOfNextDay = (atMs: number) => atMs - (atMs % (24 * HOUR_MS)) + 24 * HOUR_MS;

function recordOf(name: BucketName, ownerId: AccountId, createdAtMs: number): BucketRecord {
  return {
    id: makeBucketId(name, 'life1'),
    name,
    ownerId,
    createdAtMs,
    revision: 1,
    access: PRIVATE_ACCESS,
    settings: NO_SETTINGS,
  };
}

function objectOf(lastModifiedMs: number, sizeBytes: number): ObjectVersion {
  return {
    key: 'a' as ObjectKey,
    ...NO_FACTS,
    versionId: 'v' as VersionId,
    isNull: true,
    sizeBytes,
    etag: 'e',
    lastModifiedMs,
    headers: {},
    userMetadata: {},
    storageClass: 'STANDARD',
    segments: [],
    inlineBytes: new Uint8Array([1]),
    checksum: null,
    parts: null,
  };
}
