// All ports of the Node platform over one data folder, and their orderly end.
// node.ts calls it; so do tests and benches that need the platform without its
// server.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { BlobStore } from '../../ports/blob-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { NotReadyReason } from '../../ports/readiness.ts';
import type { Background, Log } from '../../ports/system.ts';
import type { TxtRecords } from '../../ports/txt-records.ts';
import { cacheFamilies } from '../shared/cache-metrics.ts';
import { createChangeLog, noteChanges } from '../shared/change-log.ts';
import { compressRecipe } from '../shared/compress-recipe.ts';
import { createDamageCount } from '../shared/damage.ts';
import { createDecompressingBlobStore } from '../shared/decompressing-blob-store.ts';
import {
  createDerivedBodies,
  type DerivedBodiesOptions,
  type SharedDerivedBodies,
} from '../shared/derived-bodies.ts';
import type { ChangeReader } from '../shared/fill-epochs.ts';
import { createHttpsTxtRecords } from '../shared/https-txt-records.ts';
import { createIds } from '../shared/ids.ts';
import { createMemoryBodies } from '../shared/memory-bodies.ts';
import { createMemoryPointers } from '../shared/memory-pointers.ts';
import { createMemoryShares } from '../shared/memory-shares.ts';
import { createStripeUsagePush } from '../shared/stripe-usage-push.ts';
import { systemClock } from '../shared/system-clock.ts';
import { createTrackedBackground } from '../shared/tracked-background.ts';
import { createUsageMeter } from '../shared/usage-meter.ts';
import { createFsBlobStore, TEMPORARY_NAME } from './blobs/fs-blob-store.ts';
import { openDerivedFolder } from './cache/derived-folder.ts';
import { createMemoryEdgeCache } from './cache/memory-edge-cache.ts';
import { createMemoryHotMetadata } from './cache/memory-hot-metadata.ts';
import { INDEX_NAME } from './disk/data-folder.ts';
import { createDiskAlarm } from './disk/disk-alarm.ts';
import { type DiskSpace, openDiskSpace } from './disk/disk-space.ts';
import { openShardRouter } from './index/open-shard-router.ts';
import type { IndexRoom } from './index/pending-commands.ts';
import {
  openSqliteMetadataIndex,
  type SqliteMetadataIndex,
} from './index/sqlite-metadata-index.ts';
import { createNodeMetrics, type NodeMetrics } from './process/node-metrics.ts';
import type { UpkeepCalls } from './process/upkeep.ts';
import { createScrub, type Scrub } from './scrub/scrub.ts';
import { openAccessLog } from './server/access-log-target.ts';
import { createConsoleFolder } from './services/console-folder.ts';
import { createDnsTxtRecords } from './services/dns-txt-records.ts';
import { createNotoFonts } from './services/noto-fonts.ts';
import { type OutboxSource, watchOutbox } from './services/outbox-runner.ts';
import { createSharpImages } from './services/sharp-images.ts';
import { createSteadyClock } from './services/steady-clock.ts';
import { createWebhookSender } from './services/webhook-sender.ts';
import {
  countCapChanges,
  countDirectoryChanges,
  type SharedState,
  withCountedChanges,
} from './threads/shared-state.ts';
import type { FirstThreadCalls } from './threads/thread-calls.ts';

export type NodePorts = {
  readonly outbox: OutboxSource;
  readonly ports: Ports & { readonly metrics: NodeMetrics };
  readonly disk: UpkeepCalls['disk'];
  readonly scrub: Scrub;
  /** Derived bytes, for the other threads. */
  readonly forThreads: Pick<FirstThreadCalls, 'findDerived' | 'keepDerived' | 'makeImage'>;
  /** Answers all who wait for a change; a server that closes would wait for them. */
  endWaits(): void;
  /**
   * Waits for background work, at most `backgroundMs`, then for the index. The last
   * call of all.
   */
  close(backgroundMs: number): Promise<void>;
};

/**
 * Commits without an end for this long have stalled, ms: as long as a reader waits
 * for a tier.
 */
const INDEX_STALLED_MS = 30_000;

/**
 * Waiting derivations: further codings are made after a later request; images are
 * retried.
 */
const DERIVED_WAITING_MAX = { coding: 256, image: 64 } as const;

/**
 * Time limits of one derivation, reading included, milliseconds: a disk that hangs
 * must not stop all of them. Brotli takes 20 s of CPU for the 64 MiB that settings
 * may allow (measured 2026-11); an image has 20 s of its own (sharp-images.ts).
 */
const DERIVED_SLOT_MS = { coding: 60_000, image: 30_000 } as const;

/** Longest wait for a change, milliseconds: that of the route. */
const CHANGE_WAIT_MAX_MS = 25_000;

/**
 * Opens the ports. `dataDir` must exist and be locked. `onCrash`: the index writer
 * died, and the process must end.
 */
export async function openNodePorts(
  config: Config,
  options: {
    readonly dataDir: string;
    readonly log: Log;
    readonly onCrash: (error: unknown) => void;
    /** What other threads of the process see; null: there are none. */
    readonly shared?: SharedState | null;
  },
): Promise<NodePorts> {
  const { dataDir, log, onCrash, shared = null } = options;
  const { pointers, hotMetadata, bodies } = createMemoryTiers(config);
  const damage = createDamageCount(log);
  const disk = openDiskSpace(dataDir, config.diskReserveBytes, systemClock, shared?.disk);
  const index = await openSqliteMetadataIndex({
    path: join(dataDir, INDEX_NAME),
    watcher: withCountedChanges(hotMetadata, shared),
    onCrash,
    room: withReleaseLogged(disk, log),
  });
  const background = createTrackedBackground(log);
  const stopping = new AbortController();
  const { shardRows } = config;
  const router = openShardRouter(index.metadataIndex, background, shardRows, stopping.signal);
  const outbox = watchOutbox(router, index.directory);
  const changes = createChangeLog(CHANGE_WAIT_MAX_MS);
  const ofThread =
    shared === null ? null : { temporaryName: TEMPORARY_NAME, removals: shared.changes };
  const blobStore = createFsBlobStore(dataDir, config.mapsFiles, disk, damage.note, ofThread);
  const derivedTiers = openDerivedTiers(config, dataDir, { disk, background, log });
  const { derived, derivedFolder } = derivedTiers;
  const accessLog =
    config.accessLog === 'off' ? null : await openAccessLog(config.accessLogFile, log);
  const scrub = createScrub(dataDir, config.scrubBytesPerSecond, systemClock);

  const metrics = createNodeMetrics();
  if (accessLog !== null) metrics.add(accessLog.families);
  metrics.add(() =>
    cacheFamilies([...pointers.stats(), bodies.stats(), derived.stats(), derivedFolder.stats()]),
  );
  metrics.add(index.families);
  metrics.add(disk.families);
  metrics.add(damage.families);
  metrics.add(scrub.families);

  return {
    outbox: outbox.source,
    scrub,
    disk: createDiskCalls(dataDir, disk, index),
    ports: {
      blobStore: reportDeletes(createDecompressingBlobStore(blobStore), shared),
      metadataIndex: noteChanges(outbox.metadataIndex, changes),
      bucketChanges: changes,
      directory: countDirectoryChanges(outbox.directory, shared),
      ledger: index.ledger,
      hotMetadata,
      hotShares: createMemoryShares(systemClock),
      edgeCache: createMemoryEdgeCache(bodies),
      derived,
      ...portsOfSystem(),
      background,
      log,
      accessLog,
      meter: countCapChanges(createUsageMeter(systemClock), shared),
      metrics,
      readiness: { notReady: () => notReadyReasons(disk, index) },
      usagePush: createStripeUsagePush(config),
      webhookSender: createWebhookSender(config.webhooks.mayBePrivate),
      documentFonts: createNotoFonts(),
      consoleFiles: createConsoleFolder(),
      txtRecords: createTxtRecords(config),
    },
    forThreads: derivedTiers.forThreads,
    endWaits: changes.close,
    async close(backgroundMs) {
      stopping.abort();
      const left = await background.drain(backgroundMs);
      await accessLog?.close(backgroundMs);
      if (left > 0) log.error('background-left', { left });
      await index.close();
      blobStore.close();
    },
  };
}

/** Other threads forget blobs before they are deleted. */
function reportDeletes(blobStore: BlobStore, shared: SharedState | null): BlobStore {
  if (shared === null) return blobStore;
  return {
    ...blobStore,
    delete(ids) {
      shared.onDelete(ids);
      return blobStore.delete(ids);
    },
  };
}

/**
 * The tiers in memory: pointers and bodies. `changes`: where another thread writes,
 * the counts of its changes.
 */
export function createMemoryTiers(config: Config, changes: ChangeReader | null = null) {
  const pointers = createMemoryPointers({
    clock: systemClock,
    maxEntries: config.pointerMemoryMaxEntries,
    maxBytes: config.pointerMemoryMaxBytes,
    // A negative cache that is as exact as all the rest: a write evicts it. Sites
    // need it, whose every visit may look up keys that are not there.
    negativeFreshSeconds: Number.POSITIVE_INFINITY,
    freshSeconds: null,
    staleSeconds: 0,
    ...(changes === null ? {} : { changes }),
  });
  const bodies = createMemoryBodies({
    maxBytes: config.bodyMemoryMaxBytes,
    maxSliceBytes: config.bodyMemoryMaxBodyBytes,
  });
  const hotMetadata = createMemoryHotMetadata(pointers, config.tierLimitMs, changes);
  return { pointers, bodies, hotMetadata };
}

/** The ports that every thread has alike. */
export function portsOfSystem() {
  return {
    tiers: { metadata: ['memory'], body: ['memory'] },
    clock: systemClock,
    steadyClock: createSteadyClock(),
    ids: createIds(systemClock),
  } satisfies Partial<Ports>;
}

/** The tiers of derived bytes: memory, and below it a folder. */
function openDerivedTiers(
  config: Config,
  dataDir: string,
  parts: { readonly disk: DiskSpace; readonly background: Background; readonly log: Log },
) {
  const derivedFolder = openDerivedFolder(join(dataDir, 'derived'), {
    maxBytes: config.derivedDiskMaxBytes,
    log: parts.log,
    isFull: parts.disk.isFull,
  });
  const makeImage = createSharpImages();
  const derived = openDerivedBodies(config, parts.background, {
    store: derivedFolder,
    derive: (source, recipe) =>
      recipe.kind === 'coding'
        ? compressRecipe(source, recipe, 'thorough')
        : makeImage(source, recipe),
  });
  const forThreads: NodePorts['forThreads'] = {
    findDerived: derivedFolder.get,
    keepDerived: derivedFolder.put,
    makeImage,
  };
  return { derived, derivedFolder, forThreads };
}

/** Derived bytes: memory, and below it the store. */
export function openDerivedBodies(
  config: Config,
  background: Background,
  { store, derive }: Pick<DerivedBodiesOptions, 'store' | 'derive'>,
): SharedDerivedBodies {
  return createDerivedBodies({
    tier: 'bucket',
    memoryMaxBytes: config.derivedMemoryMaxBytes,
    store,
    derive,
    clock: systemClock,
    background,
    // One of each at a time: both share the four threads of the pool with all reads
    // of files.
    limits: {
      coding: {
        concurrency: 1,
        waitingMax: DERIVED_WAITING_MAX.coding,
        slotMs: DERIVED_SLOT_MS.coding,
      },
      image: {
        concurrency: 1,
        waitingMax: DERIVED_WAITING_MAX.image,
        slotMs: DERIVED_SLOT_MS.image,
      },
    },
    sharesWork: true,
  });
}

/** The disk's room, for the index: a release of the reserve is logged. */
function withReleaseLogged(disk: DiskSpace, log: Log): IndexRoom {
  return {
    ...disk,
    releaseReserve() {
      const isReleased = disk.releaseReserve();
      if (isReleased) log.error('disk-reserve-released', disk.figures());
      return isReleased;
    },
  };
}

function createDiskCalls(
  dataDir: string,
  disk: DiskSpace,
  index: Pick<SqliteMetadataIndex, 'freeBytes'>,
): UpkeepCalls['disk'] {
  const alarm = createDiskAlarm(join(dataDir, 'disk-alarm.json'));
  return {
    look: () => disk.look(index.freeBytes()),
    async attend(report) {
      await disk.keepReserve();
      await alarm.check(disk.figures(), report);
    },
  };
}

function notReadyReasons(
  disk: DiskSpace,
  index: Pick<SqliteMetadataIndex, 'silentMs'>,
): readonly NotReadyReason[] {
  const reasons: NotReadyReason[] = [];
  if (disk.isFull()) reasons.push('disk-full');
  if (disk.isUnknown()) reasons.push('disk-unknown');
  if (index.silentMs() > INDEX_STALLED_MS) reasons.push('index-stalled');
  return reasons;
}

/** Proofs of host names by DNS, as the settings say. */
export function createTxtRecords({ dnsResolver: { url, servers } }: Config): TxtRecords {
  return url === null ? createDnsTxtRecords(servers) : createHttpsTxtRecords(url);
}
