// MetadataIndex, Directory and Ledger over one SQLite file. Commands go to the writer thread and
// come back durable; queries run here, at once, on a read-only connection of their own, so a read
// after an acknowledged write sees it (a WAL reader sees every commit that ended before its
// statement began). No commit ever blocks the event loop.
//
// Caches stand in front: bucket records, current versions, access keys and host names here,
// pointers and read policies behind `watcher`. All are exact. From before a command is sent until it was
// answered, what it touches is held: dropped and not kept, because readers here can see the commit
// before its answer arrives. Outside of that time nothing can change it.
import type { Worker } from 'node:worker_threads';
import { priceReceipt } from '../../../core/billing/prices/price-receipt.ts';
import type { StoredAccessKey } from '../../../domain/account-records.ts';
import type { AccessKeyId, BucketName, BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import { createBucketIndex } from '../../../index/bucket-index.ts';
import {
  changesAccessKeys,
  isDirectoryCommand,
  isIndexCommand,
  isLedgerCommand,
  storesMore,
} from '../../../index/call-kinds.ts';
import { runIndexCall, unwrapReply } from '../../../index/call-outcome.ts';
import { createDirectoryIndex } from '../../../index/directory-index.ts';
import { createLedgerIndex } from '../../../index/ledger-index.ts';
import type { Directory, DirectoryApi, HostBinding } from '../../../ports/directory.ts';
import { changedBy, changesReadPolicy } from '../../../ports/index-calls/index-changes.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import type { IndexApi, MetadataIndex } from '../../../ports/metadata-index.ts';
import type { MetricFamily } from '../../../ports/metrics.ts';
import type { Sql } from '../../../ports/sql.ts';
import { createCurrentVersions } from './current-versions.ts';
import { createFillBarrierCache } from './fill-barrier-cache.ts';
import { createWriterThread, type IndexRoom, startIndexWriter } from './index-writer-client.ts';
import { openSqlite } from './node-sqlite.ts';
import { toSendable } from './writer-input.ts';

/**
 * Told of each key (null: the bucket's read policy) before a command on it is sent, and again before it is
 * answered.
 */
export type CommitWatcher = {
  hold(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  release(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
};

export type SqliteMetadataIndex = {
  readonly metadataIndex: MetadataIndex;
  readonly directory: Directory;
  readonly ledger: Ledger;
  /** Commands sent and transactions that answered them. */
  counts(): { readonly commands: number; readonly transactions: number };
  families(): readonly MetricFamily[];
  /** Room inside the database's file that rows have left. Cost: one page, mostly cached. */
  freeBytes(): number;
  /** How long commands have waited without any answer, milliseconds. */
  silentMs(): number;
  /** Waits for the commands under way and closes the database. */
  close(): Promise<void>;
};

/** Records kept: about 500 B each. */
const BUCKETS_CACHED = 10_000;
const ACCESS_KEYS_CACHED = 10_000;
/**
 * Host names kept, those that nobody has bound included; strangers can make up any number of these.
 */
const HOSTS_CACHED = 4096;

type Calls = { readonly [name: string]: (input: never) => unknown };

/**
 * Opens or makes the database at `path`. `onCrash`: the writer thread died; nothing can be written
 * any more, and what waited was rejected with InternalError. Rejects when the file can't be opened,
 * or is of a newer program.
 */
export async function openSqliteMetadataIndex(options: {
  readonly path: string;
  readonly watcher: CommitWatcher;
  readonly onCrash: (error: unknown) => void;
  /** Another thread in the place of the writer's own, for tests. */
  readonly thread?: Worker;
  readonly room?: IndexRoom;
}): Promise<SqliteMetadataIndex> {
  const { watcher, thread = createWriterThread(options.path) } = options;
  const writer = await startIndexWriter(options.path, options.onCrash, thread, options.room);
  const reader = openSqlite(options.path, { readOnly: true });
  const index = createBucketIndex(reader);
  const directory = createDirectoryIndex(reader);
  const ledger = createLedgerIndex(reader, priceReceipt);
  const buckets = createFillBarrierCache<BucketName, BucketRecord>(BUCKETS_CACHED);
  const versions = createCurrentVersions(buckets);
  const accessKeys = createFillBarrierCache<AccessKeyId, StoredAccessKey>(ACCESS_KEYS_CACHED);
  const hosts = createFillBarrierCache<string, { readonly binding: HostBinding | null }>(
    HOSTS_CACHED,
  );

  const findHost = (host: string): HostBinding | null =>
    hosts.get(host, () => ({ binding: query(directory, 'getHost', { host } as never) }))?.binding ??
    null;

  let isOpen = true;

  function queryIndex(name: keyof IndexApi, input: never): unknown {
    if (name === 'getBucket')
      return buckets.get((input as { name: BucketName }).name, () => query(index, name, input));
    return name === 'getVersion'
      ? versions.get(input, () => query(index, name, input))
      : query(index, name, input);
  }

  const queryDirectory = (name: keyof DirectoryApi, input: never): unknown =>
    name === 'getAccessKey'
      ? accessKeys.get((input as { id: AccessKeyId }).id, () => query(directory, name, input))
      : query(directory, name, input);

  function commandIndex(
    bucket: BucketName,
    name: keyof IndexApi,
    input: unknown,
  ): Promise<unknown> {
    const touched = changedBy(name, input);
    const keys = typeof touched === 'string' ? null : touched;
    const isReadPolicyTouched = changesReadPolicy(touched);
    if (touched === 'readPolicy') buckets.hold(bucket);
    if (isReadPolicyTouched) watcher.hold(bucket, null);
    if (keys !== null) {
      watcher.hold(bucket, keys);
      versions.hold(bucket, keys);
    }
    const { sendable, weightBytes } = toSendable(name, input);
    return writer.call(
      { target: 'index', name, input: sendable },
      {
        weightBytes,
        storesMore: storesMore(name),
        onReply() {
          if (touched === 'readPolicy') buckets.release(bucket);
          if (isReadPolicyTouched) watcher.release(bucket, null);
          if (keys === null) return;
          watcher.release(bucket, keys);
          versions.release(bucket, keys);
        },
      },
    );
  }

  function commandDirectory(name: keyof DirectoryApi, input: unknown): Promise<unknown> {
    // Accounts and host names change rarely, and one that changes may have lost any of them: forget
    // all.
    const held = changesAccessKeys(name) ? accessKeys : name === 'bindHosts' ? hosts : null;
    held?.holdAll();
    return writer.call(
      { target: 'directory', name, input },
      { weightBytes: 0, onReply: () => held?.releaseAll() },
    );
  }

  return {
    metadataIndex: {
      call: (bucket, name, input) =>
        (isIndexCommand(name)
          ? commandIndex(bucket, name, input)
          : settled(() => queryIndex(name, input as never))) as never,
      peekCurrent: versions.peek,
    },
    directory: {
      call: (name, input) =>
        (isDirectoryCommand(name)
          ? commandDirectory(name, input)
          : settled(() => queryDirectory(name, input as never))) as never,
      peekAccessKey: (id) => accessKeys.peek(id) ?? null,
      findHost,
      peekHost: findHost,
    },
    ledger: {
      call: (name, input) =>
        (isLedgerCommand(name)
          ? writer.call({ target: 'ledger', name, input }, { weightBytes: 0, onReply: () => {} })
          : settled(() => query(ledger, name, input as never))) as never,
    },
    counts: writer.counts,
    families: writer.families,
    freeBytes: () => readFreeBytes(reader),
    silentMs: writer.silentMs,
    async close() {
      if (isOpen) reader.close();
      isOpen = false;
      await writer.close();
    },
  };
}

function readFreeBytes(sql: Sql): number {
  const [free] = sql.all<{ freelist_count: number }>('PRAGMA freelist_count');
  const [page] = sql.all<{ page_size: number }>('PRAGMA page_size');
  return (free?.freelist_count ?? 0) * (page?.page_size ?? 0);
}

function query(api: Calls, name: string, input: never): never {
  return unwrapReply(runIndexCall(api, name, input));
}

/** A promise of what happens now. */
function settled(run: () => unknown): Promise<unknown> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error);
  }
}
