// MetadataIndex, Directory and Ledger over one SQLite file. Commands go to the
// writer thread and resolve when they are durable. Queries run here, at once, on a
// read-only connection of their own: a WAL reader sees every commit that ended
// before its statement began. No commit ever blocks the event loop.
//
// Caches stand in front: bucket records, current versions, access keys and host
// names here, pointers and read policies behind `watcher`. All are exact. Race: a
// reader sees a commit, or the state before it, while its response is still on the
// way. Guard: from before a command is sent until its response, what it touches has
// a fill barrier (fill-barrier-cache.ts).
import type { Worker } from 'node:worker_threads';
import { LEDGER_RULES } from '../../../core/ledger-rules.ts';
import type { StoredAccessKey } from '../../../domain/account-records.ts';
import type { LinkEntry, LinkId } from '../../../domain/links/link-ids.ts';
import type { AccessKeyId, BucketName, BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import { createBucketIndex } from '../../../index/bucket-index.ts';
import {
  changesAccessKeys,
  isDirectoryCommand,
  isIndexCommand,
  isLedgerCommand,
  storesMore,
} from '../../../index/call-kinds.ts';
import { failureOutcome, unwrapOutcome } from '../../../index/call-outcome.ts';
import { createDirectoryIndex } from '../../../index/directory-index.ts';
import { createLedgerIndex } from '../../../index/ledger-index.ts';
import { readUncounted } from '../../../index/usage/storage-totals.ts';
import type { Directory, DirectoryApi, HostBinding } from '../../../ports/directory.ts';
import { changedBy, changesReadPolicy } from '../../../ports/index-calls/index-changes.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import type { IndexApi, MetadataIndex } from '../../../ports/metadata-index.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { Sql } from '../../../ports/sql.ts';
import { createCurrentVersions } from './current-versions.ts';
import { createFillBarrierCache, type MakeCache } from './fill-barrier-cache.ts';
import {
  createWriterThread,
  type IndexRoom,
  type IndexWriter,
  startIndexWriter,
} from './index-writer-client.ts';
import { type NodeSqlite, openSqlite } from './node-sqlite.ts';
import { toSendable } from './writer-input.ts';

/**
 * Hears of commands on keys (null: the bucket's read policy), to keep its own
 * caches exact.
 */
export type CommitWatcher = {
  /** Called before the command is sent: drops the keys and blocks fills of them. */
  block(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
  /** Called before the command's caller gets its response. */
  unblock(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
};

export type SqliteMetadataIndex = {
  readonly metadataIndex: MetadataIndex;
  readonly directory: Directory;
  readonly ledger: Ledger;
  /** Commands sent, and transactions that committed them. */
  counts(): { readonly commands: number; readonly transactions: number };
  families(): readonly MetricFamily[];
  /**
   * Free pages inside the database's file, in bytes. Cost: one page, mostly cached.
   */
  freeBytes(): number;
  /** How long commands have waited without any response, milliseconds. */
  silentMs(): number;
  /** Waits for the commands under way and closes the database. */
  close(): Promise<void>;
};

/** Cached records: about 500 B each. */
const BUCKETS_CACHED = 10_000;
const ACCESS_KEYS_CACHED = 10_000;
/**
 * Cached host names, negative ones included: strangers can make up any number of
 * these.
 */
const HOSTS_CACHED = 4096;
/** Cached entries of links, negative ones included. */
const LINKS_CACHED = 10_000;

type Calls = { readonly [name: string]: (input: never) => unknown };

/** The commands' way, and the connection for queries. */
type Connections = { readonly writer: Pick<IndexWriter, 'call'>; readonly reader: NodeSqlite };

/**
 * Opens or makes the database at `path`. `onCrash`: the writer thread died; nothing
 * can be written any more, and what waited was rejected with InternalError. Rejects
 * when the file can't be opened, or is of a newer program.
 */
export async function openSqliteMetadataIndex(options: {
  readonly path: string;
  readonly watcher: CommitWatcher;
  readonly onCrash: (error: unknown) => void;
  /** Another thread in the place of the writer's own, for tests. */
  readonly thread?: Worker;
  readonly room?: IndexRoom;
}): Promise<SqliteMetadataIndex> {
  const { path, thread = createWriterThread(path) } = options;
  const writer = await startIndexWriter(path, options.onCrash, thread, options.room);
  const reader = openSqlite(path, { readOnly: true });
  let isOpen = true;

  return {
    ...createIndexPorts({ writer, reader }, options.watcher),
    counts: writer.counts,
    families: () => [...writer.families(), ...sizeFamilies(reader)],
    freeBytes: () => readFreeBytes(reader),
    silentMs: writer.silentMs,
    async close() {
      if (isOpen) reader.close();
      isOpen = false;
      await writer.close();
    },
  };
}

/**
 * Buckets with late uploads, or with totals that have counted late. The totals of others
 * say all.
 */
const MAY_BE_UNCOUNTED = `SELECT n FROM buckets AS b WHERE
    EXISTS (SELECT 1 FROM uploads AS u WHERE u.bucket = b.n AND u.active_at_ms < 0)
    OR EXISTS (SELECT 1 FROM storage_totals AS t WHERE t.bucket = b.n AND t.counted_to <> '')`;

/** How many rows totals do not count yet. Cost: a few seeks for each bucket. */
function countUncounted(reader: Sql): number {
  let rows = 0;
  for (const { n } of reader.all<{ n: number }>(MAY_BE_UNCOUNTED)) {
    for (const { partCount, currentCount } of readUncounted(reader, n).values())
      rows += partCount + currentCount;
  }
  return rows;
}

/** How large the index is. Cost: two small reads, and some rows for each bucket. */
function sizeFamilies(reader: Sql): readonly MetricFamily[] {
  const [size] = reader.all<{ bytes: number; row_count: number }>(
    `SELECT (SELECT page_count FROM pragma_page_count())
         * (SELECT page_size FROM pragma_page_size()) AS bytes,
       (SELECT coalesce(sum(current_count + noncurrent_count + part_count), 0)
        FROM storage_totals) AS row_count`,
  );
  return [
    metricFamily('gauge', 'quayside_index_bytes', 'Bytes of the index, free pages included.', [
      [{}, size?.bytes ?? 0],
    ]),
    metricFamily(
      'gauge',
      'quayside_index_rows',
      'Objects, older versions and parts of uploads in the index.',
      [[{}, (size?.row_count ?? 0) + countUncounted(reader)]],
    ),
  ];
}

/**
 * The three ports over a way for commands and a connection for queries. `memoryShare`:
 * how much of the memory for caches they may have, 1 at most.
 */
export function createIndexPorts(
  connections: Connections,
  watcher: CommitWatcher,
  makeCache: MakeCache = createFillBarrierCache,
  memoryShare = 1,
): Pick<SqliteMetadataIndex, 'metadataIndex' | 'directory' | 'ledger'> {
  const { reader, writer } = connections;
  const ledger = createLedgerIndex(reader, LEDGER_RULES);
  return {
    metadataIndex: createMetadataIndex(connections, watcher, makeCache, memoryShare),
    directory: createDirectory(connections, makeCache),
    ledger: {
      call: (name, input) =>
        (isLedgerCommand(name)
          ? writer.call({ target: 'ledger', name, input }, { weightBytes: 0, onReply: () => {} })
          : settled(() => query(ledger, name, input as never))) as never,
    },
  };
}

/** The port of buckets and objects, with its caches. */
function createMetadataIndex(
  { writer, reader }: Connections,
  watcher: CommitWatcher,
  makeCache: MakeCache,
  memoryShare: number,
): MetadataIndex {
  const index = createBucketIndex(reader);
  const buckets = makeCache<BucketName, BucketRecord>({
    max: BUCKETS_CACHED,
    nameOf: (bucket) => bucket,
  });
  const versions = createCurrentVersions(buckets, makeCache, memoryShare);

  function runQuery(name: keyof IndexApi, input: never): unknown {
    if (name === 'getBucket')
      return buckets.get((input as { name: BucketName }).name, () => query(index, name, input));
    return name === 'getVersion'
      ? versions.get(input, () => query(index, name, input))
      : query(index, name, input);
  }

  function sendCommand(bucket: BucketName, name: keyof IndexApi, input: unknown): Promise<unknown> {
    const touched = changedBy(name, input);
    const keys = typeof touched === 'string' ? null : touched;
    const isReadPolicyTouched = changesReadPolicy(touched);

    if (touched === 'readPolicy') buckets.block(bucket);
    if (isReadPolicyTouched) watcher.block(bucket, null);
    if (keys !== null) {
      watcher.block(bucket, keys);
      versions.block(bucket, keys);
    }

    const onReply = () => {
      if (touched === 'readPolicy') buckets.unblock(bucket);
      if (isReadPolicyTouched) watcher.unblock(bucket, null);
      if (keys === null) return;
      watcher.unblock(bucket, keys);
      versions.unblock(bucket, keys);
    };
    const { sendable, weightBytes } = toSendable(name, input);
    return writer.call(
      { target: 'index', name, input: sendable },
      { weightBytes, storesMore: storesMore(name), onReply },
    );
  }

  return {
    call: (bucket, name, input) =>
      (isIndexCommand(name)
        ? sendCommand(bucket, name, input)
        : settled(() => runQuery(name, input as never))) as never,
    peekCurrent: versions.peek,
  };
}

/** The port of accounts and host names, with its caches. */
function createDirectory({ writer, reader }: Connections, makeCache: MakeCache): Directory {
  const directory = createDirectoryIndex(reader);
  const accessKeys = makeCache<AccessKeyId, StoredAccessKey>({
    max: ACCESS_KEYS_CACHED,
    nameOf: () => DIRECTORY_NAMES.accessKeys,
  });
  const hosts = makeCache<string, { readonly binding: HostBinding | null }>({
    max: HOSTS_CACHED,
    nameOf: () => DIRECTORY_NAMES.hosts,
  });
  const links = makeCache<LinkId, { readonly entry: LinkEntry | null }>({
    max: LINKS_CACHED,
    nameOf: () => DIRECTORY_NAMES.links,
  });
  const caches = { accessKeys, hosts, links };

  const findHost = (host: string): HostBinding | null =>
    hosts.get(host, () => ({ binding: query(directory, 'getHost', { host } as never) }))?.binding ??
    null;

  const findLink = (id: LinkId): LinkEntry | null =>
    links.get(id, () => ({ entry: query(directory, 'getLinkId', { id } as never) }))?.entry ?? null;

  const runQuery = (name: keyof DirectoryApi, input: never): unknown =>
    name === 'getAccessKey'
      ? accessKeys.get((input as { id: AccessKeyId }).id, () => query(directory, name, input))
      : query(directory, name, input);

  function sendCommand(name: keyof DirectoryApi, input: unknown): Promise<unknown> {
    const touched = recordsTouchedBy(name);
    const touchedCache = touched === null ? null : caches[touched];
    const linkId = linkTouchedBy(name, input);
    touchedCache?.blockAll();
    if (linkId !== null) links.block(linkId);

    const onReply = () => {
      touchedCache?.unblockAll();
      if (linkId !== null) links.unblock(linkId);
    };
    return writer.call({ target: 'directory', name, input }, { weightBytes: 0, onReply });
  }

  return {
    call: (name, input) =>
      (isDirectoryCommand(name)
        ? sendCommand(name, input)
        : settled(() => runQuery(name, input as never))) as never,
    peekAccessKey: (id) => accessKeys.peek(id) ?? null,
    findHost,
    peekHost: findHost,
    findLink,
    peekLink: findLink,
  };
}

/** What all changes of a kind of records are counted under: no bucket has such a name. */
export const DIRECTORY_NAMES = {
  accessKeys: '/access-keys',
  hosts: '/hosts',
  links: '/links',
} as const;

/**
 * The records that a command may change any of; null: none, or one link alone. They
 * change rarely, so all are dropped then.
 */
function recordsTouchedBy(name: keyof DirectoryApi): keyof typeof DIRECTORY_NAMES | null {
  if (changesAccessKeys(name)) return 'accessKeys';
  if (name === 'removeLinkIds') return 'links';
  return name === 'bindHosts' ? 'hosts' : null;
}

/** What a command's changes are counted under; null: nothing that is cached changes. */
export function directoryNameOf(name: keyof DirectoryApi): string | null {
  const touched = recordsTouchedBy(name);
  if (touched !== null) return DIRECTORY_NAMES[touched];
  return name === 'addLinkId' || name === 'removeLinkId' ? DIRECTORY_NAMES.links : null;
}

/** The link whose entry a command makes or removes; null: none, or not one alone. */
function linkTouchedBy(name: keyof DirectoryApi, input: unknown): LinkId | null {
  if (name === 'addLinkId') return (input as { entry: LinkEntry }).entry.id;
  return name === 'removeLinkId' ? (input as { id: LinkId }).id : null;
}

function readFreeBytes(sql: Sql): number {
  const [free] = sql.all<{ freelist_count: number }>('PRAGMA freelist_count');
  const [page] = sql.all<{ page_size: number }>('PRAGMA page_size');
  return (free?.freelist_count ?? 0) * (page?.page_size ?? 0);
}

/** Runs a query here and now; it fails with what a command's outcome would throw. */
function query(api: Calls, name: string, input: never): never {
  try {
    const call = api[name] as Calls[string];
    return call(input) as never;
  } catch (error) {
    return unwrapOutcome(failureOutcome(error));
  }
}

/** Runs it at once, and returns its outcome as a promise. */
function settled(run: () => unknown): Promise<unknown> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error);
  }
}
