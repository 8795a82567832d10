// Our design: the product's own delivery, memory tiers, KV reader, publisher, index and write path,
// one set of ports for each isolate, with the simulated Cloudflare below them. Variants differ in
// which tiers stand where.

import {
  FEED_LIMITS,
  type FeedLimits,
} from '../../src/adapters/cloudflare/durable-objects/reader-feed.ts';
import { createDecide } from '../../src/core/auth/decide.ts';
import { createCapGuard } from '../../src/core/caps/cap-guard.ts';
import type { Core, CoreSettings } from '../../src/core/core.ts';
import { createUsageFlusher, type UsageFlusher } from '../../src/core/metering/flush-usage.ts';
import { putObject } from '../../src/core/objects/put-object.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName, parseObjectKey } from '../../src/core/parse-names.ts';
import type { BucketSettings } from '../../src/domain/bucket-settings.ts';
import { StorageError } from '../../src/domain/errors.ts';
import type { BucketName } from '../../src/domain/nouns.ts';
import { createDelivery } from '../../src/http/delivery/create-delivery.ts';
import type { Deliver } from '../../src/http/delivery/deliver.ts';
import { FailureWithHeaders } from '../../src/http/failure-with-headers.ts';
import { newRequestNotes } from '../../src/http/observe/request-notes.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import type { Design, MakeDesign } from './design.ts';
import { CONFIG, createIsolateMaker } from './isolate-maker.ts';
import { drain, etagOf } from './light-response.ts';
import { CPU_MS, type Usage } from './prices.ts';
import { drawGapMs } from './random.ts';
import { placeShares } from './trace.ts';

export type QuaysideVariant = {
  readonly pointerFreshSeconds: number;
  readonly staleWhileRevalidateSeconds: number;
  /** When the index object gives pages of neighbours, and publishes to KV. */
  readonly limits: FeedLimits;
  /** Whether relays gather the look-ups of a busy bucket. */
  readonly hasRelays: boolean;
  /** The setting of every bucket. */
  readonly metadata: BucketSettings['metadata'];
  /** Longest delay until a place can see a write to KV; its documentation says 60 s "or more". */
  readonly kvDelayMaxSeconds: number;
  /**
   * What caches bodies in a place: the Cache API, Workers Cache through an inner entrypoint, or one
   * after the other.
   */
  readonly bodies: readonly ('cache-api' | 'workers-cache')[];
  /** A longer read passes by the tiers; slices are of 1 MiB. */
  readonly maxSlicesPerRead: number;
  /** Whether so many slices come from Workers Cache by one call. */
  readonly keepsRuns: boolean;
  readonly hasBodyMemory: boolean;
};

/**
 * Workers as they are built today. `maxSlicesPerRead`:
 * src/adapters/cloudflare/bodies/workers-edge-cache.ts.
 */
export const TODAY: QuaysideVariant = {
  pointerFreshSeconds: CONFIG.pointerFreshSeconds,
  staleWhileRevalidateSeconds: CONFIG.staleWhileRevalidateSeconds,
  limits: FEED_LIMITS,
  hasRelays: true,
  metadata: null,
  kvDelayMaxSeconds: 60,
  bodies: ['workers-cache'],
  maxSlicesPerRead: 8,
  keepsRuns: true,
  hasBodyMemory: true,
};

/** Without pages of neighbours, and without KV. */
export const NO_PAGES: FeedLimits = { ...FEED_LIMITS, pagesPerSecond: Number.POSITIVE_INFINITY };
export const NO_KV: FeedLimits = { ...FEED_LIMITS, offloadPerSecond: Number.POSITIVE_INFINITY };

/** Nothing hangs here, so nothing is timed. */
const SETTINGS: CoreSettings = { ...CONFIG, tierLimitMs: Number.POSITIVE_INFINITY };

const nameOf = (object: number) => (object < 0 ? `missing/${-object}` : `assets/${object}`);

const BUCKETS = new Map<number, BucketName>();

/** The bucket of an object, where the catalogue is spread over so many of them. */
function bucketAt(number: number): BucketName {
  const name = BUCKETS.get(number) ?? parseBucketName(`simulated-${number}`);
  BUCKETS.set(number, name);
  return name;
}

type Isolate = {
  readonly core: Core;
  readonly deliver: Deliver;
  readonly endMs: number;
  readonly flusher: UsageFlusher;
};

/** Characters of the name of an isolate, as app.ts makes it. */
const SOURCE_LENGTH = 34;

export function createQuayside(variant: QuaysideVariant): MakeDesign {
  return (world) => {
    const { timeline, usage, random } = world;
    const { buckets, places } = world.trace;
    const bucketOf = (object: number) => bucketAt(Math.abs(object) % buckets);
    const maker = createIsolateMaker(world, variant, { bucketOf, nameOf });
    const shares = placeShares(places);
    const slots = new Map<string, Isolate>();
    const decide = createDecide();
    let lastStamp = 0;
    let made = 0;

    function createIsolate(place: number): Isolate {
      const { isolateLifeSeconds: lifeSeconds } = world;
      const lifeMs = lifeSeconds === 0 ? 0 : drawGapMs(1 / lifeSeconds, random);
      const core: Core = { ports: maker.createPorts(place), settings: SETTINGS };
      made += 1;
      const source = `process ${made}`.padEnd(SOURCE_LENGTH, '0');
      const intervalMs = CONFIG.meterFlushSeconds * 1000;
      const flusher = createUsageFlusher(core, { source, intervalMs });
      core.ports.meter.whenUsed(flusher.flushSoon);
      const caps = createCapGuard(core, flusher, source, () => undefined);
      const { deliver } = createDelivery(core, CONFIG, decide, caps);
      return { core, deliver, endMs: timeline.nowMs() + lifeMs, flusher };
    }

    function isolateOf(place: number): Isolate {
      const count = Math.max(1, Math.round(world.isolates * (shares[place] ?? 0)));
      const slot = `${place} ${Math.floor(random() * count)}`;
      const known = slots.get(slot);
      if (known !== undefined && known.endMs > timeline.nowMs()) return known;
      const isolate = createIsolate(place);
      slots.set(slot, isolate);
      return isolate;
    }

    const countRequest = () => {
      usage.workerRequests += 1;
      usage.invocations += 1;
      usage.workerCpuMs += CPU_MS.invocation;
    };
    const toMissing = (error: unknown) => toNothing(error, usage);

    const design: Design = {
      read(place, object) {
        countRequest();
        maker.ensure(object);
        const { deliver, flusher } = isolateOf(place);
        try {
          const answer = deliver(REQUEST, bucketOf(object), nameOf(object), 'simulated');
          return answer instanceof Promise ? answer.then(toEtag, toMissing) : toEtag(answer);
        } catch (error) {
          return toMissing(error);
        } finally {
          // worker.ts flushes behind each response, too.
          flusher.flushSoon();
        }
      },
      async write(place, object) {
        countRequest();
        maker.ensure(object);
        const { core } = isolateOf(place);
        const sizeBytes = world.catalogue[object] ?? 0;
        await overwrite(core, bucketOf(object), object, sizeBytes, ++lastStamp);
      },
      busiestSecond: maker.busiestSecond,
      busiestLedgerSecond: maker.busiestLedgerSecond,
      close: maker.close,
    };
    return design;
  };
}

const REQUEST: HttpRequest = {
  method: 'GET',
  rawPath: '/',
  rawQuery: '',
  host: 'simulated.invalid',
  isSecure: true,
  remoteAddress: null,
  header: () => null,
  headerNames: () => [],
  body: () => ({ lengthBytes: 0, pump: async () => undefined }),
  notes: newRequestNotes(),
  onSent: (report) => report({ protocol: 'HTTP/1.1', bodyBytes: null, isWhole: null }),
};

/** The etag, once the headers are there; the client reads the body behind it. */
function toEtag(response: Response): string {
  void drain(response);
  return etagOf(response).replaceAll('"', '');
}

/** A key that is not there, or a read that a cap refused, counted. */
function toNothing(error: unknown, usage: Usage): null {
  if (error instanceof FailureWithHeaders) return toNothing(error.failure, usage);
  if (!(error instanceof StorageError)) throw error;
  if (REFUSALS.has(error.code)) usage.refusedReads += 1;
  else if (error.code !== 'NoSuchKey') throw error;
  return null;
}

/** What a cap answers: it has no room, or too many ask for a lease at once. */
const REFUSALS: ReadonlySet<string> = new Set(['UsageCapReached', 'SlowDown']);

/**
 * The product's own write path. The first bytes of the body are a number, so that no two digests
 * are equal.
 */
async function overwrite(
  core: Core,
  bucketName: BucketName,
  object: number,
  sizeBytes: number,
  stamp: number,
): Promise<void> {
  const bytes = new Uint8Array(sizeBytes);
  new DataView(bytes.buffer).setFloat64(0, stamp);
  const bucket = await openBucket(core, bucketName, () => undefined);
  await putObject(core, bucket, {
    key: parseObjectKey(nameOf(object)),
    attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
    body: { lengthBytes: sizeBytes, pump: async (onChunk) => void (await onChunk(bytes)) },
    expectation: { contentMd5Hex: null, checksum: null },
    condition: null,
  });
}
