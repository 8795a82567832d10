// The ports of a thread other than the first: caches, blobs and a connection for
// queries of its own. Commands go to the first thread, as all that a process has once
// (thread-calls.ts). Everything here is exact: caches compare the counts of changes.
import { join } from 'node:path';
import type { Config } from '../../../config.ts';
import { isDirectoryCommand, isIndexCommand, isLedgerCommand } from '../../../index/call-kinds.ts';
import { createShardRouter } from '../../../index/router/shard-router.ts';
import type { Directory } from '../../../ports/directory.ts';
import type { Ports } from '../../../ports/index.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import type { MetadataIndex } from '../../../ports/metadata-index.ts';
import type { Log } from '../../../ports/system.ts';
import { cacheFamilies } from '../../shared/cache-metrics.ts';
import { createChangeLog } from '../../shared/change-log.ts';
import { compressRecipe } from '../../shared/compress-recipe.ts';
import { createDamageCount } from '../../shared/damage.ts';
import { createDecompressingBlobStore } from '../../shared/decompressing-blob-store.ts';
import { createMemoryShares } from '../../shared/memory-shares.ts';
import { createStripeUsagePush } from '../../shared/stripe-usage-push.ts';
import { systemClock } from '../../shared/system-clock.ts';
import { createTrackedBackground } from '../../shared/tracked-background.ts';
import { createUsageMeter } from '../../shared/usage-meter.ts';
import { createFsBlobStore, TEMPORARY_NAME } from '../blobs/fs-blob-store.ts';
import { createMemoryEdgeCache } from '../cache/memory-edge-cache.ts';
import { INDEX_NAME } from '../disk/data-folder.ts';
import { boardRoom } from '../disk/disk-board.ts';
import { createChangeCounters } from '../index/change-counters.ts';
import { countedCaches } from '../index/counted-cache.ts';
import { openSqlite } from '../index/node-sqlite.ts';
import { createIndexPorts } from '../index/sqlite-metadata-index.ts';
import { toSendable } from '../index/writer-input.ts';
import {
  createMemoryTiers,
  createTxtRecords,
  openDerivedBodies,
  portsOfSystem,
} from '../node-ports.ts';
import { createNodeMetrics, type NodeMetrics } from '../process/node-metrics.ts';
import { createConsoleFolder } from '../services/console-folder.ts';
import { createNotoFonts } from '../services/noto-fonts.ts';
import { createWebhookSender } from '../services/webhook-sender.ts';
import { heedCapChanges } from './shared-state.ts';
import type { FirstThreadCalls, OtherThreadCalls, ThreadData } from './thread-calls.ts';
import { createThreadLog } from './thread-log.ts';
import type { ThreadPeer } from './thread-peer.ts';

export type ThreadPorts = {
  readonly ports: Ports & { readonly metrics: NodeMetrics };
  readonly forgetBlobs: OtherThreadCalls['forgetBlobs'];
  /** Waits for background work, at most so long; then closes what is open. */
  close(backgroundMs: number): Promise<void>;
};

type FirstThread = Pick<ThreadPeer<FirstThreadCalls>, 'call'>;

/** Opens the ports; `first` carries calls to the first thread. */
export function openThreadPorts(
  { thread, config, dataDir, memory }: ThreadData,
  first: FirstThread,
  log: Log,
): ThreadPorts {
  const changes = createChangeCounters(memory.changes);
  const { pointers, bodies, hotMetadata } = createMemoryTiers(config, changes);
  const damage = createDamageCount(log);
  const room = boardRoom(memory.disk, thread);
  const blobStore = createFsBlobStore(dataDir, config.mapsFiles, room, damage.note, {
    temporaryName: join(TEMPORARY_NAME, `${thread}`),
    removals: changes,
  });
  const reader = openSqlite(join(dataDir, INDEX_NAME), { readOnly: true });
  const background = createTrackedBackground(log);
  const derived = openThreadDerived(config, first, background);
  const accessLog =
    config.accessLog === 'off' ? null : createThreadLog((lines) => first.call('log', [lines]));

  const metrics = createNodeMetrics(false);
  metrics.add(() => cacheFamilies([...pointers.stats(), bodies.stats(), derived.stats()]));
  metrics.add(damage.families);

  return {
    ports: {
      blobStore: {
        ...createDecompressingBlobStore(blobStore),
        delete: (ids) => first.call('deleteBlobs', [ids]),
      },
      ...openThreadIndex(reader, changes, first, 1 / config.threads),
      ...portsOfFirstThread(config),
      ...portsOfSystem(),
      meter: heedCapChanges(createUsageMeter(systemClock), changes),
      edgeCache: createMemoryEdgeCache(bodies),
      hotMetadata,
      accessLog,
      background,
      derived,
      metrics,
      log,
    },
    forgetBlobs: blobStore.forget,
    async close(backgroundMs) {
      const left = await background.drain(backgroundMs);
      if (left > 0) log.error('background-left', { left, thread });
      await accessLog?.flush();
      reader.close();
      blobStore.close();
    },
  };
}

/**
 * Makes the ports that only requests below `/-/` and the background use. The first
 * thread answers both (handed-requests.ts), so nobody calls them in this one.
 */
function portsOfFirstThread(config: Config) {
  return {
    bucketChanges: createChangeLog(0),
    hotShares: createMemoryShares(systemClock),
    readiness: { notReady: () => [] },
    usagePush: createStripeUsagePush(config),
    webhookSender: createWebhookSender(config.webhooks.mayBePrivate),
    documentFonts: createNotoFonts(),
    consoleFiles: createConsoleFolder(),
    txtRecords: createTxtRecords(config),
  } satisfies Partial<Ports>;
}

/** Opens derived bytes: this thread's memory over the first thread's folder and images. */
function openThreadDerived(config: Config, first: FirstThread, background: Ports['background']) {
  return openDerivedBodies(config, background, {
    store: {
      // A tier that fails knows nothing.
      get: (name) => first.call('findDerived', [name]).catch(() => null),
      put: (name, stored) => first.call('keepDerived', [name, stored]),
    },
    derive: (source, recipe) =>
      recipe.kind === 'coding'
        ? compressRecipe(source, recipe, 'thorough')
        : first.call('makeImage', [source, recipe]),
  });
}

/** Opens index, directory and ledger: queries run here, commands in the first thread. */
function openThreadIndex(
  reader: ReturnType<typeof openSqlite>,
  changes: ReturnType<typeof createChangeCounters>,
  first: FirstThread,
  memoryShare: number,
): Pick<Ports, 'metadataIndex' | 'directory' | 'ledger'> {
  const unused = { call: () => Promise.reject(new Error('Commands go to the first thread.')) };
  const nobody = { block: () => undefined, unblock: () => undefined };
  const here = createIndexPorts(
    { reader, writer: unused },
    nobody,
    countedCaches(changes),
    memoryShare,
  );
  const metadataIndex: MetadataIndex = {
    ...here.metadataIndex,
    call: (bucket, name, input) =>
      isIndexCommand(name)
        ? (first.call('index', [bucket, name, toSendable(name, input).sendable]) as never)
        : here.metadataIndex.call(bucket, name, input),
  };
  const directory: Directory = {
    ...here.directory,
    call: (name, input) =>
      isDirectoryCommand(name)
        ? (first.call('directory', [name, input]) as never)
        : here.directory.call(name, input),
  };
  const ledger: Ledger = {
    call: (name, input) =>
      isLedgerCommand(name)
        ? (first.call('ledger', [name, input]) as never)
        : here.ledger.call(name, input),
  };
  return { metadataIndex: createShardRouter(metadataIndex, systemClock), directory, ledger };
}
