// All ports of the Node platform over one data folder, and their orderly end.
// node.ts calls it; so do tests and benches that need the platform without its
// server.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Ports } from '../../ports/index.ts';
import type { NotReadyReason } from '../../ports/readiness.ts';
import type { Background, Log } from '../../ports/system.ts';
import type { TxtRecords } from '../../ports/txt-records.ts';
import { cacheFamilies } from '../shared/cache-metrics.ts';
import { createChangeLog, noteChanges } from '../shared/change-log.ts';
import { compressRecipe } from '../shared/compress-recipe.ts';
import { createDamageCount } from '../shared/damage.ts';
import { createDecompressingBlobStore } from '../shared/decompressing-blob-store.ts';
import { createDerivedBodies } from '../shared/derived-bodies.ts';
import { createHttpsTxtRecords } from '../shared/https-txt-records.ts';
import { createIds } from '../shared/ids.ts';
import { createMemoryBodies } from '../shared/memory-bodies.ts';
import { createMemoryPointers } from '../shared/memory-pointers.ts';
import { createMemoryShares } from '../shared/memory-shares.ts';
import { createStripeUsagePush } from '../shared/stripe-usage-push.ts';
import { systemClock } from '../shared/system-clock.ts';
import { createTrackedBackground } from '../shared/tracked-background.ts';
import { createUsageMeter } from '../shared/usage-meter.ts';
import { createFsBlobStore } from './blobs/fs-blob-store.ts';
import { openDerivedFolder } from './cache/derived-folder.ts';
import { createMemoryEdgeCache } from './cache/memory-edge-cache.ts';
import { createMemoryHotMetadata } from './cache/memory-hot-metadata.ts';
import { INDEX_NAME } from './disk/data-folder.ts';
import { createDiskAlarm } from './disk/disk-alarm.ts';
import { type DiskSpace, openDiskSpace } from './disk/disk-space.ts';
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

export type NodePorts = {
  readonly outbox: OutboxSource;
  readonly ports: Ports & { readonly metrics: NodeMetrics };
  readonly disk: UpkeepCalls['disk'];
  readonly scrub: Scrub;
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
  },
): Promise<NodePorts> {
  const { dataDir, log, onCrash } = options;
  const { pointers, hotMetadata, bodies } = createMemoryTiers(config);
  const damage = createDamageCount(log);
  const disk = openDiskSpace(dataDir, config.diskReserveBytes, systemClock);
  const index = await openSqliteMetadataIndex({
    path: join(dataDir, INDEX_NAME),
    watcher: hotMetadata,
    onCrash,
    room: withReleaseLogged(disk, log),
  });
  const outbox = watchOutbox(index.metadataIndex, index.directory);
  const changes = createChangeLog(CHANGE_WAIT_MAX_MS);
  const blobStore = createFsBlobStore(dataDir, config.mapsFiles, disk, damage.note);
  const background = createTrackedBackground(log);
  const { derived, derivedFolder } = openDerivedTiers(config, dataDir, { disk, background, log });
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
      blobStore: createDecompressingBlobStore(blobStore),
      metadataIndex: noteChanges(outbox.metadataIndex, changes),
      bucketChanges: changes,
      directory: outbox.directory,
      ledger: index.ledger,
      hotMetadata,
      hotShares: createMemoryShares({ clock: systemClock, freshMs: null, coalesces: true }),
      edgeCache: createMemoryEdgeCache(bodies),
      derived,
      tiers: { metadata: ['memory'], body: ['memory'] },
      clock: systemClock,
      steadyClock: createSteadyClock(),
      ids: createIds(systemClock),
      background,
      log,
      accessLog,
      meter: createUsageMeter(systemClock),
      metrics,
      readiness: { notReady: () => notReadyReasons(disk, index) },
      usagePush: createStripeUsagePush(config),
      webhookSender: createWebhookSender(config.webhooks.mayBePrivate),
      documentFonts: createNotoFonts(),
      consoleFiles: createConsoleFolder(),
      txtRecords: createTxtRecords(config),
    },
    endWaits: changes.close,
    async close(backgroundMs) {
      const left = await background.drain(backgroundMs);
      await accessLog?.close(backgroundMs);
      if (left > 0) log.error('background-left', { left });
      await index.close();
      blobStore.close();
    },
  };
}

/** The tiers in memory: pointers and bodies. */
function createMemoryTiers(config: Config) {
  const pointers = createMemoryPointers({
    clock: systemClock,
    maxEntries: config.pointerMemoryMaxEntries,
    maxBytes: config.pointerMemoryMaxBytes,
    // A negative cache that is as exact as all the rest: a write evicts it. Sites
    // need it, whose every visit may look up keys that are not there.
    negativeFreshSeconds: Number.POSITIVE_INFINITY,
    freshSeconds: null,
    staleSeconds: 0,
  });
  const bodies = createMemoryBodies({
    maxBytes: config.bodyMemoryMaxBytes,
    maxSliceBytes: config.bodyMemoryMaxBodyBytes,
  });
  return { pointers, bodies, hotMetadata: createMemoryHotMetadata(pointers, config.tierLimitMs) };
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
  const derived = createDerivedBodies({
    tier: 'bucket',
    memoryMaxBytes: config.derivedMemoryMaxBytes,
    store: derivedFolder,
    derive: (source, recipe) =>
      recipe.kind === 'coding'
        ? compressRecipe(source, recipe, 'thorough')
        : makeImage(source, recipe),
    clock: systemClock,
    background: parts.background,
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
  return { derived, derivedFolder };
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

function createTxtRecords({ dnsResolver: { url, servers } }: Config): TxtRecords {
  return url === null ? createDnsTxtRecords(servers) : createHttpsTxtRecords(url);
}
