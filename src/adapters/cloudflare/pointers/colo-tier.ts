// The tier that all isolates of a colo of Cloudflare share: states of change feeds,
// pages of pointers and share links in the Cache API, which is free. It knows nothing of ages:
// entries say when the index was called, and the hot metadata decides. Whatever
// fails or hangs here is a miss, and the tier is left alone for a moment.
//
// What the Cache API can't do: it has no lock and no condition, so of isolates that
// claim a refresh in the same milliseconds each may get it, and a late `put` may
// bring an older state back. Both cost a call; neither makes anything younger.
import { type LinkName, linkNameText } from '../../../domain/links/link-ids.ts';
import type { BucketLocation } from '../../../domain/locations/bucket-locations.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { NotedBucketName } from '../../../ports/directory.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import { decodeState, encodeState, type FeedState } from './feed-state.ts';
import {
  decodeJson,
  decodePage,
  encodePage,
  keyName,
  PAGE_MAX_AGE_SECONDS,
  type PageName,
  type PointerPage,
} from './pointer-page.ts';
import { decodeShare, encodeShare, type ShareRecord } from './share-records.ts';

/** The cache's name: apart from what the zone itself caches. */
const CACHE_NAME = 'quayside-pointers';
/** Keys must be URLs; this host can exist nowhere (RFC 2606). */
const KEY_PREFIX = 'https://pointers.quayside.invalid/';
/** How long a cache that failed is left alone, milliseconds. */
const COOLDOWN_MS = 5000;
/**
 * Calls that one isolate may begin in a window. A Worker has six connections, and what
 * comes on top of them waits: a herd had better ask the index.
 */
const CALLS_MAX = 64;
const WINDOW_MS = 100;
/** How long one isolate's claim of a refresh counts, seconds. */
const CLAIM_SECONDS = 2;
/** How long an isolate's claim keeps its own other requests from one, milliseconds. */
const OWN_CLAIM_MS = 1000;

/** TTL of a bucket name that exists, seconds. */
export const KNOWN_NAME_SECONDS = 86_400;
/** What was noted of a name when the directory was asked. */
export type KnownBucketName = { readonly noted: NotedBucketName; readonly askedAtMs: number };

const NAME_VERSION = 1;
type NameJson = {
  readonly v: number;
  readonly location: BucketLocation | null;
  readonly askedAtMs: number;
};

export type ColoTier = {
  /** Cost of each: one call of the Cache API. None of them throws. */
  readState(bucket: BucketName): Promise<FeedState | null>;
  readPage(bucket: BucketName, name: PageName): Promise<PointerPage | null>;
  putState(bucket: BucketName, state: FeedState): Promise<void>;
  putPage(bucket: BucketName, page: PointerPage): Promise<void>;
  removeState(bucket: BucketName): Promise<void>;
  readShare(bucket: BucketName, name: LinkName): Promise<ShareRecord | null>;
  putShare(bucket: BucketName, name: LinkName, record: ShareRecord): Promise<void>;
  /** What the directory said of the bucket's name, as it was put. */
  readName(bucket: BucketName): Promise<KnownBucketName | null>;
  putName(bucket: BucketName, known: KnownBucketName): Promise<void>;
  removeName(bucket: BucketName): Promise<void>;
  /** Whether this isolate is to refresh the state, as far as it can see. Two calls. */
  claim(bucket: BucketName): Promise<boolean>;
};

export type ColoTierOptions = {
  readonly clock: Clock;
  readonly log: Log;
  /** A call that takes longer has failed, milliseconds. */
  readonly limitMs: number;
  /** A name of the bucket that no other deployment on the zone has. */
  readonly idOf: (bucket: BucketName) => string;
  /** The cache; each call of it may fail. */
  readonly open?: () => Promise<Pick<Cache, 'match' | 'put' | 'delete'>>;
};

export function createColoTier({ clock, log, idOf, ...options }: ColoTierOptions): ColoTier {
  const open = options.open ?? (() => caches.open(CACHE_NAME));
  const breaker = createCircuitBreaker(clock, COOLDOWN_MS);
  const claiming = createCircuitBreaker(clock, OWN_CLAIM_MS);
  const window = { startMs: 0, calls: 0 };
  const stateUrl = (bucket: BucketName) => `${KEY_PREFIX}${idOf(bucket)}/state`;
  const claimUrl = (bucket: BucketName) => `${KEY_PREFIX}${idOf(bucket)}/claim`;
  const nameUrl = (bucket: BucketName) => `${KEY_PREFIX}${idOf(bucket)}/name`;
  const pageUrl = (bucket: BucketName, { from, isInvited }: PageName) =>
    `${KEY_PREFIX}${idOf(bucket)}/${isInvited ? 'invited' : 'page'}/${keyName(from)}`;
  const shareUrl = (bucket: BucketName, name: LinkName) =>
    `${KEY_PREFIX}${idOf(bucket)}/share/${linkNameText(name)}`;

  /** Whether the isolate has begun as many calls as it may; counts one more. */
  function isHerd(): boolean {
    const nowMs = clock.nowMs();
    if (nowMs - window.startMs >= WINDOW_MS) Object.assign(window, { startMs: nowMs, calls: 0 });
    window.calls += 1;
    return window.calls > CALLS_MAX;
  }

  async function run<Value>(
    bucket: BucketName,
    instead: Value,
    work: (cache: Pick<Cache, 'match' | 'put' | 'delete'>) => Promise<Value>,
  ): Promise<Value> {
    if (breaker.isOn('cache') || isHerd()) return instead;
    try {
      return await withTimeout(options.limitMs, 'the Cache API', async () => work(await open()));
    } catch (cause) {
      breaker.begin('cache');
      log.error('colo-cache-failed', { bucket, cause });
      return instead;
    }
  }

  const read = (bucket: BucketName, url: () => string): Promise<string | null> =>
    run(bucket, null, async (cache) => (await cache.match(url()))?.text() ?? null);

  const put = (
    bucket: BucketName,
    url: () => string,
    text: () => string,
    seconds = PAGE_MAX_AGE_SECONDS,
  ) =>
    run(bucket, undefined, (cache) => {
      const headers = { 'Cache-Control': `public, max-age=${seconds}` };
      return cache.put(url(), new Response(text(), { headers }));
    });

  const remove = (bucket: BucketName, url: () => string): Promise<void> =>
    run(bucket, undefined, async (cache) => {
      await cache.delete(url());
    });

  return {
    readState: async (bucket) => decodeState(await read(bucket, () => stateUrl(bucket))),
    readPage: async (bucket, name) => decodePage(await read(bucket, () => pageUrl(bucket, name))),
    putState: (bucket, state) => {
      const text = () => encodeState(state);
      return put(bucket, () => stateUrl(bucket), text);
    },
    putPage: (bucket, page) => {
      const text = () => encodePage(page);
      return put(bucket, () => pageUrl(bucket, page), text);
    },
    readShare: async (bucket, name) =>
      decodeShare(await read(bucket, () => shareUrl(bucket, name))),
    putShare: (bucket, name, record) => {
      const text = () => encodeShare(record);
      return put(bucket, () => shareUrl(bucket, name), text);
    },
    removeState: (bucket) => remove(bucket, () => stateUrl(bucket)),
    readName: async (bucket) =>
      decodeJson(await read(bucket, () => nameUrl(bucket)), NAME_VERSION, (text: NameJson) => ({
        noted: { location: text.location },
        askedAtMs: text.askedAtMs,
      })),
    putName: (bucket, { noted: { location }, askedAtMs }) =>
      put(
        bucket,
        () => nameUrl(bucket),
        () => JSON.stringify({ v: NAME_VERSION, location, askedAtMs } satisfies NameJson),
        KNOWN_NAME_SECONDS,
      ),
    removeName: (bucket) => remove(bucket, () => nameUrl(bucket)),
    async claim(bucket) {
      if (claiming.isOn(bucket)) return false;
      claiming.begin(bucket);
      const url = () => claimUrl(bucket);
      const claimedAtMs = Number((await read(bucket, url)) ?? 0);
      if (clock.nowMs() - claimedAtMs < CLAIM_SECONDS * 1000) return false;
      await put(bucket, url, () => `${clock.nowMs()}`, CLAIM_SECONDS);
      return true;
    },
  };
}
