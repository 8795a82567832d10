// All ports of the Node home over one data folder, and their orderly end. node.ts calls it; so do
// tests and benches that want the home without its server.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Ports } from '../../ports/index.ts';
import type { NotReadyReason } from '../../ports/readiness.ts';
import type { Log } from '../../ports/system.ts';
import { cacheFamilies } from '../shared/cache-metrics.ts';
import { compressRecipe } from '../shared/compress-recipe.ts';
import { createDamageCount } from '../shared/damage.ts';
import { createDecompressingBlobStore } from '../shared/decompressing-blob-store.ts';
import { createDerivedBodies } from '../shared/derived-bodies.ts';
import { createHttpsTxtRecords } from '../shared/https-txt-records.ts';
import { createIds } from '../shared/ids.ts';
import { createMemoryBodies } from '../shared/memory-bodies.ts';
import { createMemoryPointers } from '../shared/memory-pointers.ts';
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
import { openDiskSpace } from './disk/disk-space.ts';
import { openSqliteMetadataIndex } from './index/sqlite-metadata-index.ts';
import { createNodeMetrics, type NodeMetrics } from './process/node-metrics.ts';
import type { UpkeepCalls } from './process/upkeep.ts';
import { createScrub, type Scrub } from './scrub/scrub.ts';
import { openAccessLog } from './server/access-log-target.ts';
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
  /**
   * Waits for background work, at most `backgroundMs`, then for the index; nothing may be called
   * afterwards.
   */
  close(backgroundMs: number): Promise<void>;
};

/**
 * Commits that have not ended for so long have stalled, milliseconds: as long as a reader waits for
 * a tier.
 */
const INDEX_STALLED_MS = 30_000;

/**
 * What waits to be made: a further variant is made after a later request; whoever asks for a
 * further image is to try again.
 */
const DERIVED_WAITING_MAX = { coding: 256, image: 64 } as const;

/**
 * How long one of them may take, reading included, milliseconds: a disk that hangs must not stop
 * all making. Brotli takes 20 s of CPU for the 64 MiB that settings may allow (measured 2026-11);
 * an image has 20 s of its own (sharp-images.ts).
 */
const DERIVED_SLOT_MS = { coding: 60_000, image: 30_000 } as const;

/** `dataDir` must exist and be locked. `onCrash`: the index writer died, the process must end. */
export async function openNodePorts(
  config: Config,
  options: {
    readonly dataDir: string;
    readonly log: Log;
    readonly onCrash: (error: unknown) => void;
  },
): Promise<NodePorts> {
  const { dataDir, log, onCrash } = options;
  const { url, servers } = config.dnsResolver;
  const pointers = createMemoryPointers({
    clock: systemClock,
    maxEntries: config.pointerMemoryMaxEntries,
    maxBytes: config.pointerMemoryMaxBytes,
    // As exact as all the rest: a write evicts it. Sites need it, whose every visit may ask for
    // keys that are not there.
    negativeFreshSeconds: Number.POSITIVE_INFINITY,
    freshSeconds: null,
    staleSeconds: 0,
  });
  const hotMetadata = createMemoryHotMetadata(pointers, config.tierLimitMs);
  const bodies = createMemoryBodies({
    maxBytes: config.bodyMemoryMaxBytes,
    maxSliceBytes: config.bodyMemoryMaxBodyBytes,
  });
  const path = join(dataDir, INDEX_NAME);
  const damage = createDamageCount(log);
  const disk = openDiskSpace(dataDir, config.diskReserveBytes, systemClock);
  const alarm = createDiskAlarm(join(dataDir, 'disk-alarm.json'));
  const releaseReserve = () => {
    const isReleased = disk.releaseReserve();
    if (isReleased) log.error('disk-reserve-released', disk.figures());
    return isReleased;
  };
  const room = { ...disk, releaseReserve };
  const index = await openSqliteMetadataIndex({ path, watcher: hotMetadata, onCrash, room });
  const watched = watchOutbox(index.metadataIndex, index.directory);
  const blobStore = createFsBlobStore(dataDir, config.mapsFiles, disk, damage.note);
  const derivedFolder = openDerivedFolder(join(dataDir, 'derived'), {
    maxBytes: config.derivedDiskMaxBytes,
    log,
    isFull: disk.isFull,
  });
  const images = createSharpImages();
  const background = createTrackedBackground(log);
  const derived = createDerivedBodies({
    tier: 'bucket',
    memoryMaxBytes: config.derivedMemoryMaxBytes,
    store: derivedFolder,
    derive: (source, recipe) =>
      recipe.kind === 'coding'
        ? compressRecipe(source, recipe, 'thorough')
        : images(source, recipe),
    clock: systemClock,
    background,
    // Both share the four threads of the pool with all reads of files.
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
  const accessLog =
    config.accessLog === 'off' ? null : await openAccessLog(config.accessLogFile, log);
  const metrics = createNodeMetrics();
  if (accessLog !== null) metrics.add(accessLog.families);
  metrics.add(() =>
    cacheFamilies([...pointers.stats(), bodies.stats(), derived.stats(), derivedFolder.stats()]),
  );
  metrics.add(index.families);
  metrics.add(disk.families);
  metrics.add(damage.families);
  const scrub = createScrub(dataDir, config.scrubBytesPerSecond, systemClock);
  metrics.add(scrub.families);
  const notReady = (): readonly NotReadyReason[] => [
    ...(disk.isFull() ? (['disk-full'] as const) : []),
    ...(disk.isUnknown() ? (['disk-unknown'] as const) : []),
    ...(index.silentMs() > INDEX_STALLED_MS ? (['index-stalled'] as const) : []),
  ];
  return {
    outbox: watched.source,
    scrub,
    disk: {
      look: () => disk.look(index.freeBytes()),
      async attend(report) {
        await disk.keepReserve();
        await alarm.check(disk.figures(), report);
      },
    },
    ports: {
      blobStore: createDecompressingBlobStore(blobStore),
      metadataIndex: watched.metadataIndex,
      directory: watched.directory,
      ledger: index.ledger,
      hotMetadata,
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
      readiness: { notReady },
      usagePush: createStripeUsagePush(config),
      webhookSender: createWebhookSender(config.webhooks.mayBePrivate),
      documentFonts: createNotoFonts(),
      txtRecords: url === null ? createDnsTxtRecords(servers) : createHttpsTxtRecords(url),
    },
    async close(backgroundMs) {
      const left = await background.drain(backgroundMs);
      await accessLog?.close(backgroundMs);
      if (left > 0) log.error('background-left', { left });
      await index.close();
      blobStore.close();
    },
  };
}
