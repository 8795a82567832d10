// A whole core in memory, with a clock that a test moves on, and with any ports and settings
// replaced. Tests of core use cases run on it.
import {
  createDirectDirectory,
  createDirectLedger,
  createDirectMetadataIndex,
} from '../../src/adapters/memory/direct-metadata-index.ts';
import {
  createMemoryBlobStore,
  type MemoryBlobStore,
} from '../../src/adapters/memory/memory-blob-store.ts';
import { createMemoryConsoleFiles } from '../../src/adapters/memory/memory-console-files.ts';
import { createMemoryDerived } from '../../src/adapters/memory/memory-derived.ts';
import { createMemoryTxtRecords } from '../../src/adapters/memory/memory-txt-records.ts';
import { createMemoryEdgeCache } from '../../src/adapters/node/cache/memory-edge-cache.ts';
import { createMemoryHotMetadata } from '../../src/adapters/node/cache/memory-hot-metadata.ts';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import { createChangeLog, noteChanges } from '../../src/adapters/shared/change-log.ts';
import { createDecompressingBlobStore } from '../../src/adapters/shared/decompressing-blob-store.ts';
import { createIds } from '../../src/adapters/shared/ids.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import { createMemoryPointers } from '../../src/adapters/shared/memory-pointers.ts';
import { createMemoryShares } from '../../src/adapters/shared/memory-shares.ts';
import { createTrackedBackground } from '../../src/adapters/shared/tracked-background.ts';
import { createUsageMeter } from '../../src/adapters/shared/usage-meter.ts';
import { createBucket } from '../../src/core/buckets/create-bucket.ts';
import type { Core, CoreSettings } from '../../src/core/core.ts';
import { toMasterKey } from '../../src/core/encryption/master-keys.ts';
import { LEDGER_RULES } from '../../src/core/ledger-rules.ts';
import { NO_EXPECTATION } from '../../src/core/objects/body-expectation.ts';
import { type PutObjectInput, putObject } from '../../src/core/objects/put-object.ts';
import { openBody } from '../../src/core/objects/read-object.ts';
import { type BucketHandle, openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName, parseObjectKey } from '../../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import type { ObjectAttributes, ObjectVersion } from '../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../src/index/directory-index.ts';
import { createLedgerIndex } from '../../src/index/ledger-index.ts';
import { DIRECTORY_SCHEMA } from '../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../src/index/tables/ledger-schema.ts';
import { migrate } from '../../src/index/tables/schema.ts';
import type { ByteSource } from '../../src/ports/byte-source.ts';
import type { HotMetadata } from '../../src/ports/caches/hot-metadata.ts';
import type { Ports } from '../../src/ports/index.ts';
import type { Clock } from '../../src/ports/system.ts';
import { openMigrated } from '../index/kit/open-migrated.ts';

/** A master key of these tests. */
export const MASTER_KEYS = [toMasterKey(new Uint8Array(32).fill(7))];
export const INLINE_MAX_BYTES = 16;
export const GRACE_SECONDS = 3600;
/** Real time, milliseconds: so long a test waits for a port that hangs. */
export const TIER_LIMIT_MS = 1000;

export type MemoryCore = Core & {
  readonly blobStore: MemoryBlobStore;
  /** Moves the clock on. */
  advanceSeconds(seconds: number): void;
  /** Waits for all work that runs in the background. */
  settle(): Promise<void>;
};

const SCHEMAS = [INDEX_SCHEMA, DIRECTORY_SCHEMA, LEDGER_SCHEMA];

/** Creates a core. `path`: a file of the index, to go on with what another core left there. */
export function createMemoryCore(path = ':memory:'): MemoryCore {
  let nowMs = Date.UTC(2026, 10, 20);
  const clock = { nowMs: () => nowMs };
  const log = { info: () => undefined, error: () => undefined };
  const sql =
    path === ':memory:' ? openMigrated(...SCHEMAS) : openSqlite(path, { readOnly: false });
  if (path !== ':memory:') for (const schema of SCHEMAS) migrate(sql, schema);
  const blobStore = createMemoryBlobStore();
  const background = createTrackedBackground(log);
  const changes = createChangeLog(1000);
  const ports: Ports = {
    blobStore: createDecompressingBlobStore(blobStore),
    metadataIndex: noteChanges(createDirectMetadataIndex(createBucketIndex(sql)), changes),
    bucketChanges: changes,
    directory: createDirectDirectory(createDirectoryIndex(sql)),
    ledger: createDirectLedger(createLedgerIndex(sql, LEDGER_RULES)),
    hotMetadata: createExactHotMetadata(clock),
    hotShares: createMemoryShares(clock),
    edgeCache: createMemoryEdgeCache(
      createMemoryBodies({ maxBytes: 2 ** 20, maxSliceBytes: 2 ** 16 }),
    ),
    derived: createMemoryDerived(clock),
    tiers: { metadata: ['memory'], body: ['memory'] },
    clock,
    steadyClock: null,
    ids: createIds(clock),
    background,
    log,
    accessLog: null,
    meter: createUsageMeter(clock),
    metrics: { collect: () => [] },
    readiness: { notReady: () => [] },
    usagePush: null,
    txtRecords: createMemoryTxtRecords(),
    documentFonts: null,
    consoleFiles: createMemoryConsoleFiles(null),
    webhookSender: { post: () => Promise.reject(new Error('No test of this core sends.')) },
  };
  return {
    ports,
    settings: {
      defaultCacheControl: 'public, max-age=60',
      inlineBodyMaxBytes: INLINE_MAX_BYTES,
      graceSeconds: GRACE_SECONDS,
      lifecycleDaySeconds: 86_400,
      staleUploadHours: 24,
      tierLimitMs: TIER_LIMIT_MS,
      transitionMinBytes: 131_072,
      ownHosts: [],
      masterKeys: MASTER_KEYS,
      seededKmsKeys: ['seeded-key'],
      webhooks: { mayBePrivate: true, attemptsMax: 3, retryBaseMs: 1000, timeoutMs: 1000 },
      accountsMayBindHosts: true,
      requiresHostProof: true,
      zipMaxObjects: 1500,
      subrequestsMax: Number.POSITIVE_INFINITY,
      seed: [],
      rateCardId: 'cloudflare-r2',
      invoiceIssuer: 'Quayside',
      billingCloseHours: 24,
    },
    blobStore,
    advanceSeconds(seconds) {
      nowMs += seconds * 1000;
    },
    async settle() {
      // Compressing takes its time on a busy machine.
      await background.drain(10_000);
    },
  };
}

/** Creates hot metadata as on the Node platform. */
export function createExactHotMetadata(clock: Clock, negativeFreshSeconds = 2): HotMetadata {
  const memory = { maxEntries: 1000, maxBytes: 2 ** 20, freshSeconds: null, staleSeconds: 0 };
  return createMemoryHotMetadata(
    createMemoryPointers({ ...memory, clock, negativeFreshSeconds }),
    TIER_LIMIT_MS,
  );
}

/** Makes a core on the ports of another, some of them replaced. */
export function withPorts(core: MemoryCore, changes: Partial<Ports>): MemoryCore {
  return { ...core, ports: { ...core.ports, ...changes } };
}

/** Creates a core with these ports and settings, and with those of a memory core besides. */
export function createTestCore(ports: Partial<Ports>, settings: Partial<CoreSettings> = {}): Core {
  const core = createMemoryCore();
  return { ports: { ...core.ports, ...ports }, settings: { ...core.settings, ...settings } };
}

/** Opens a bucket of the root account, made first when it is not there. */
export async function openTestBucket(core: Core, name = 'test-bucket'): Promise<BucketHandle> {
  await createBucket(core, ROOT_ACCOUNT, parseBucketName(name), PRIVATE_ACCESS);
  return openBucket(core, parseBucketName(name), () => undefined);
}

export const ATTRIBUTES: ObjectAttributes = {
  headers: {},
  userMetadata: {},
  storageClass: 'STANDARD',
};
export const key = parseObjectKey;

/** A body in chunks of `chunkBytes`. */
export function bodyOf(bytes: Uint8Array, chunkBytes = 10): ByteSource {
  return {
    lengthBytes: bytes.length,
    async pump(onChunk) {
      for (let at = 0; at < bytes.length; at += chunkBytes)
        await onChunk(bytes.subarray(at, at + chunkBytes));
    },
  };
}

/** A body in some ten chunks. */
export const bodyInChunks = (bytes: Uint8Array): ByteSource =>
  bodyOf(bytes, Math.max(10, Math.ceil(bytes.length / 10)));

/** Stores an object of these bytes; `changes`: of the input besides. */
export function putBytes(
  core: Core,
  bucket: BucketHandle,
  name: string,
  bytes: Uint8Array,
  changes: Partial<PutObjectInput> = {},
): Promise<ObjectVersion> {
  return putObject(core, bucket, {
    key: key(name),
    attributes: ATTRIBUTES,
    body: bodyInChunks(bytes),
    expectation: NO_EXPECTATION,
    condition: null,
    ...changes,
  });
}

/** Makes bytes that differ from one offset to the next. */
export function sampleBytes(length: number, seed = 0): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = i * 7 + (i >> 8) + seed;
  return bytes;
}

/** Reads all bytes of a stored version. */
export async function readWhole(core: Core, version: ObjectVersion): Promise<Uint8Array> {
  const { body } = await openBody(core, version, {
    offsetBytes: 0,
    lengthBytes: version.sizeBytes,
  });
  if (body === null) return new Uint8Array();
  return body instanceof Uint8Array
    ? body
    : new Uint8Array(await new Response(body as ReadableStream<Uint8Array>).arrayBuffer());
}
