// The settings of both homes: from the environment, parsed and validated once at the start. node.ts
// and worker.ts call it; everything below gets a Config, never an environment. Limits that S3 fixes
// are core/limits.ts, not settings.
import {
  COMPRESSION_DEFAULT_BYTES,
  DERIVED_DISK_DEFAULT_BYTES,
  DERIVED_MEMORY_DEFAULT_BYTES,
  DISK_RESERVE_DEFAULT_BYTES,
  HOUR_SECONDS,
  type Home,
  INLINE_DEFAULT_BYTES,
  INLINE_MAX_BYTES,
  KiB,
  MEMORY_DEFAULTS,
  MiB,
  SUBREQUESTS_DEFAULT,
  SUBREQUESTS_LEAST,
  SUBREQUESTS_MOST,
  TIER_LIMIT_MS,
  ZIP_DEFAULT_OBJECTS,
  ZIP_IDLE_DEFAULT_SECONDS,
} from './config-defaults.ts';
import {
  ConfigError,
  type DnsResolver,
  parseAccessKey,
  parseAddressRanges,
  parseChoice,
  parseDnsResolver,
  parseDomain,
  parseHeaderText,
  parseIssuer,
  parseMasterKeyIds,
  parseRateCardId,
  parseRegion,
  parseSecretKey,
  parseStripeUrl,
  parseSwitch,
  parseToken,
  requireDomain,
} from './config-texts.ts';
import { parseSeed, parseSeededNamedKeys, SeedError } from './core/auth/seed.ts';
import { type MasterKeys, parseMasterKeys } from './core/encryption/master-keys.ts';
import { readWebhookSettings, type WebhookSettings } from './core/outbox/webhook-settings.ts';
import type { AccessKey } from './domain/nouns.ts';

export { ConfigError };

export type Config = {
  /** TCP port, Node only. QUAYSIDE_PORT, 9000; 0 takes a free one. */
  readonly port: number;
  /** Address to listen on, Node only. QUAYSIDE_HOST, 127.0.0.1. */
  readonly host: string;
  /** Folder of index and blobs, Node only. QUAYSIDE_DATA_DIR, ./data. */
  readonly dataDir: string;
  /**
   * Room on the disk that only deletes, aborts, lifecycle rules and the sweep may use, bytes; half
   * of it stands in the file `reserve` of the data folder. Writes are refused when no more is left.
   * 0: none. Node only. QUAYSIDE_DISK_RESERVE_BYTES, 128 MiB.
   */
  readonly diskReserveBytes: number;
  /**
   * Bytes a second that the scrub reads and proves, Node only; 0: none.
   * QUAYSIDE_SCRUB_BYTES_PER_SECOND, 0.
   */
  readonly scrubBytesPerSecond: number;
  /**
   * Access key id and secret of the root account. QUAYSIDE_ROOT_ACCESS_KEY and
   * QUAYSIDE_ROOT_SECRET_KEY, null.
   */
  readonly rootAccessKey: string | null;
  readonly rootSecretKey: string | null;
  /**
   * Access keys of further accounts, as JSON (core/auth/seed.ts); on Node the name of a file of it.
   * QUAYSIDE_SEED.
   */
  readonly seed: readonly AccessKey[];
  /** Ids of named encryption keys that the same JSON asks for (`kmsKeys`). */
  readonly seededNamedKeys: readonly string[];
  /**
   * 32-byte keys that wrap the keys of encrypted objects, in hex or base64, with commas between;
   * the newest first, which wraps what is new. On Node a file of the data folder holds one when
   * this is not set; a Worker without it refuses SSE-S3 and SSE-KMS. Losing one loses what it
   * protects. QUAYSIDE_MASTER_KEY, none.
   */
  readonly masterKeys: MasterKeys;
  /**
   * Ids of master keys that are lost, or that nothing needs any more: the server starts without
   * them. Node only. QUAYSIDE_WITHOUT_MASTER_KEYS, with commas between, none.
   */
  readonly withoutMasterKeys: readonly string[];
  /**
   * Whether SSE-C requests may come over plain http, where anybody on the way can read the client's
   * key: `loopback` takes them over connections within this machine that no proxy has passed on
   * (Node only), `always` and `never` say so. S3 never takes them. QUAYSIDE_SSE_C_OVER_HTTP,
   * loopback.
   */
  readonly customerKeysOverHttp: 'loopback' | 'always' | 'never';
  /**
   * Whether Signature Version 2 (HMAC-SHA-1) is taken, in URLs and for form uploads: boto3 and the
   * AWS CLI presign so for us-east-1 and the other old regions. In headers it never is.
   * QUAYSIDE_SIGNATURE_V2, on.
   */
  readonly isSignatureV2On: boolean;
  /**
   * Hosts `{bucket}.{baseDomain}` address a bucket. Lower case, without a port.
   * QUAYSIDE_BASE_DOMAIN, null.
   */
  readonly baseDomain: string | null;
  /**
   * Hosts `{bucket}.{websiteDomain}` are the websites of buckets. As above.
   * QUAYSIDE_WEBSITE_DOMAIN, null.
   */
  readonly websiteDomain: string | null;
  /**
   * Hosts of the service itself: no bucket can be bound to them or to what is below them, and no
   * request to them looks for one. As above: the two domains, and those of QUAYSIDE_OWN_HOSTS,
   * separated by commas.
   */
  readonly ownHosts: readonly string[];
  /**
   * Whether QUAYSIDE_OWN_HOSTS is set: until then only the root account can bind hosts, as any of
   * them may be ours.
   */
  readonly accountsMayBindHosts: boolean;
  /**
   * Whether accounts prove by a record of DNS that a host is theirs before they bind it; the root
   * account need not. Off is for installations whose accounts all trust each other.
   * QUAYSIDE_HOST_PROOF, on.
   */
  readonly requiresHostProof: boolean;
  /**
   * Who is asked for that record: addresses of DNS servers with commas between (Node only), or the
   * URL of DNS over HTTPS in JSON. QUAYSIDE_DNS_RESOLVER, the system's servers; on Cloudflare
   * https://cloudflare-dns.com/dns-query.
   */
  readonly dnsResolver: DnsResolver;
  /** Region that GetBucketLocation names; signatures may name any. QUAYSIDE_REGION, auto. */
  readonly region: string;
  /**
   * Largest body that stands in the index row instead of a blob, bytes. QUAYSIDE_INLINE_MAX_BYTES.
   */
  readonly inlineBodyMaxBytes: number;
  /**
   * Pointers and read policies kept in memory: how many, and bytes together.
   * QUAYSIDE_POINTER_MEMORY_{ENTRIES,BYTES}.
   */
  readonly pointerMemoryMaxEntries: number;
  readonly pointerMemoryMaxBytes: number;
  /**
   * Bodies kept in memory: bytes together, and of the largest one.
   * QUAYSIDE_BODY_MEMORY_{BYTES,MAX_BODY_BYTES}.
   */
  readonly bodyMemoryMaxBytes: number;
  readonly bodyMemoryMaxBodyBytes: number;
  /** Largest object that goes out compressed, bytes; 0 for none. QUAYSIDE_COMPRESSION_MAX_BYTES. */
  readonly compressionMaxBytes: number;
  /**
   * What was made of objects, compressed or resized: bytes in memory, and on disk (Node).
   * QUAYSIDE_DERIVED_{MEMORY,DISK}_BYTES.
   */
  readonly derivedMemoryMaxBytes: number;
  readonly derivedDiskMaxBytes: number;
  /**
   * Seconds for which a pointer in memory is served without asking; Cloudflare only, on Node a
   * pointer is exact. With the next setting it is the age that a public read can have there; a key
   * that is too hot for one Durable Object comes from KV meanwhile, and may be 120 s older
   * (adapters/cloudflare/kv/hot-records.ts). QUAYSIDE_POINTER_FRESH_SECONDS, 3.
   */
  readonly pointerFreshSeconds: number;
  /**
   * Seconds after that for which it is still served at once, while the truth is asked behind the
   * answer; Cloudflare only. They add to the bound. QUAYSIDE_STALE_WHILE_REVALIDATE_SECONDS, 2.
   */
  readonly staleWhileRevalidateSeconds: number;
  /**
   * Seconds for which a pointer that is fresh no more is served when the truth can't be had,
   * because the index fails or hangs; Cloudflare only, as on Node the index is in the process. Such
   * answers say so. QUAYSIDE_STALE_IF_ERROR_SECONDS, one hour.
   */
  readonly staleIfErrorSeconds: number;
  /**
   * A tier that says nothing for so long has failed, milliseconds. QUAYSIDE_TIER_LIMIT_MS, 3,000 on
   * Cloudflare; on Node 30,000, since a disk under load answers late rather than never.
   */
  readonly tierLimitMs: number;
  /**
   * Seconds for which "there is no such object" is kept; Cloudflare only, as on Node it is exact.
   * QUAYSIDE_NEGATIVE_FRESH_SECONDS, 2.
   */
  readonly negativeFreshSeconds: number;
  /**
   * Cache-Control of public objects that bring neither one nor Expires.
   * QUAYSIDE_DEFAULT_CACHE_CONTROL.
   */
  readonly defaultCacheControl: string;
  /** Whether hot public reads are answered before node:http, Node only. QUAYSIDE_HOT_LANE, on. */
  readonly isHotLaneOn: boolean;
  /**
   * Whether files that are read often may be mapped into memory, Node on Linux only.
   * QUAYSIDE_MAPPED_FILES, on.
   */
  readonly mapsFiles: boolean;
  /**
   * Addresses and CIDR ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed,
   * Node only. Everybody else's are ignored. QUAYSIDE_TRUSTED_PROXIES, a list with commas, none.
   */
  readonly trustedProxies: readonly string[];
  /**
   * Connections at once, Node only; a further one is answered a health check and no more.
   * QUAYSIDE_CONNECTIONS_MAX, 4,096: about 100 KiB each while idle with buffers.
   */
  readonly connectionsMax: number;
  /**
   * Connections at once of one IPv4 address, or of one IPv6 network of 64 bits, unless it is a
   * trusted proxy's; Node only. 0: any number. QUAYSIDE_CONNECTIONS_PER_ADDRESS, 1,024: a quarter
   * of all; a browser opens 6.
   */
  readonly connectionsPerAddress: number;
  /**
   * Milliseconds for the head of a request, from the connection or its first byte to its end; Node
   * only. QUAYSIDE_REQUEST_HEAD_SECONDS, 30: Apache's mod_reqtimeout gives 20 to 40.
   */
  readonly requestHeadMs: number;
  /**
   * Bytes a second that a body must come at, over a minute; Node only; 0: any.
   * QUAYSIDE_RECEIVE_RATE_MIN, 500: as Apache's mod_reqtimeout.
   */
  readonly receiveRateMin: number;
  /**
   * What whoever reads `/-/metrics` must show as a bearer token; null: there is no such page. There
   * is no way around it from the machine itself: behind a reverse proxy everybody comes from there.
   * QUAYSIDE_METRICS_TOKEN, null.
   */
  readonly metricsToken: string | null;
  /** The access log: none, Apache's combined format, or JSON lines. QUAYSIDE_ACCESS_LOG, off. */
  readonly accessLog: 'off' | 'combined' | 'json';
  /**
   * Its file, opened anew on SIGHUP and SIGUSR1; null for stdout. Node only.
   * QUAYSIDE_ACCESS_LOG_FILE, null.
   */
  readonly accessLogFile: string | null;
  /**
   * Seconds that lines of a bucket's access log wait for others before they become an object.
   * QUAYSIDE_BUCKET_LOG_SECONDS, 300.
   */
  readonly bucketLogSeconds: number;
  /**
   * Whether wrangler's dev server stands in front, which decodes what is stored in a coding of its
   * own (adapters/cloudflare/requests/stored-coding.ts); Cloudflare only. QUAYSIDE_DEV_SERVER, off.
   */
  readonly isDevServer: boolean;
  /** Whether answers have Server-Timing: tiers and durations. QUAYSIDE_SERVER_TIMING, on. */
  readonly isServerTimingOn: boolean;
  /**
   * Buckets that get metrics of their own, under their name as a label; further ones share one.
   * QUAYSIDE_METRICS_BUCKETS, 0.
   */
  readonly metricsBucketsMax: number;
  /**
   * Seconds that usage is counted in memory: what a kill loses, in favour of who pays.
   * QUAYSIDE_METER_FLUSH_SECONDS, 5.
   */
  readonly meterFlushSeconds: number;
  /**
   * Seconds between two runs of the sweeper, Node only. QUAYSIDE_SWEEP_INTERVAL_SECONDS, one hour.
   */
  readonly sweepIntervalSeconds: number;
  /**
   * Seconds for which a blob that nothing references stays: longer than the oldest pointer and the
   * longest download. QUAYSIDE_GRACE_SECONDS, one day.
   */
  readonly graceSeconds: number;
  /** Most objects in one ZIP file. QUAYSIDE_ZIP_MAX_OBJECTS, 10,000. */
  readonly zipMaxObjects: number;
  /**
   * Calls that one request of a Worker may make: what needs more is refused at once. As
   * `limits.subrequests` of wrangler.toml. QUAYSIDE_SUBREQUESTS_MAX, 10,000 on Cloudflare; nothing
   * counts them on Node.
   */
  readonly subrequestsMax: number;
  /**
   * Seconds after which a ZIP whose reader takes nothing no longer counts as under way: a Worker is
   * not told that its client has left (seen in workerd 2026-11). QUAYSIDE_ZIP_IDLE_SECONDS, an
   * hour; on Cloudflare 15.
   */
  readonly zipIdleSeconds: number;
  /**
   * How long a day of lifecycle rules is, seconds: less than 86,400 is for tests.
   * QUAYSIDE_LIFECYCLE_DAY_SECONDS.
   */
  readonly lifecycleDaySeconds: number;
  /**
   * Smallest object that lifecycle rules move to another class, bytes, unless their filter speaks
   * of sizes. S3's is 128 KiB, because its colder classes bill no less.
   * QUAYSIDE_LIFECYCLE_TRANSITION_MIN_BYTES.
   */
  readonly transitionMinBytes: number;
  /**
   * Hours without a new part after which an unfinished multipart upload is given up, where the
   * bucket has no rule of its own for it; 0: never, as in S3. QUAYSIDE_STALE_UPLOAD_HOURS, 24.
   */
  readonly staleUploadHours: number;
  /** How messages go to webhooks. QUAYSIDE_WEBHOOK_*, core/outbox/webhook-settings.ts. */
  readonly webhooks: WebhookSettings;
  /**
   * Seconds that running requests get to finish after SIGTERM, Node only. QUAYSIDE_DRAIN_SECONDS,
   * 20.
   */
  readonly drainSeconds: number;
  /**
   * Requests of one account to the JSON API in a minute, or of one source without a credential; 0:
   * any number. QUAYSIDE_API_REQUESTS_PER_MINUTE, 1,200.
   */
  readonly requestsPerMinute: number;
  /**
   * The rate card of accounts that have no other: one that ships (docs/billing.md), or the
   * operator's own. QUAYSIDE_RATE_CARD, cloudflare-r2.
   */
  readonly rateCardId: string;
  /** Who bills, as it stands on invoices. QUAYSIDE_INVOICE_ISSUER, Quayside. */
  readonly invoiceIssuer: string;
  /**
   * Hours after its end that a month is closed, when the ledger has heard of everything.
   * QUAYSIDE_BILLING_CLOSE_HOURS, 24.
   */
  readonly billingCloseHours: number;
  /**
   * A key of Stripe's that may write meter events; null: usage is told to nobody.
   * QUAYSIDE_STRIPE_SECRET_KEY, null.
   */
  readonly stripeSecretKey: string | null;
  /** Where Stripe's API is. QUAYSIDE_STRIPE_URL, https://api.stripe.com. */
  readonly stripeUrl: string;
  /** What is logged: everything, errors or nothing. QUAYSIDE_LOG_LEVEL, info. */
  readonly logLevel: 'info' | 'error' | 'off';
};

/**
 * Reads the settings out of an environment or of a Worker's bindings, of which only the texts
 * count. ConfigError.
 */
export function parseConfig(env: Readonly<Record<string, unknown>>, home: Home = 'node'): Config {
  const text = (name: string): string | null => {
    const value = env[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new ConfigError(
      `${name} must be a whole number from ${min} to ${max}, not "${value.slice(0, 40)}".`,
    );
  };
  const memory = MEMORY_DEFAULTS[home];
  const baseDomain = parseDomain('QUAYSIDE_BASE_DOMAIN', text('QUAYSIDE_BASE_DOMAIN'));
  const websiteDomain = parseDomain('QUAYSIDE_WEBSITE_DOMAIN', text('QUAYSIDE_WEBSITE_DOMAIN'));
  const ownHosts = (text('QUAYSIDE_OWN_HOSTS') ?? '').split(',').map((host) => host.trim());
  return {
    port: whole('QUAYSIDE_PORT', 9000, 0, 65_535),
    host: text('QUAYSIDE_HOST') ?? '127.0.0.1',
    dataDir: text('QUAYSIDE_DATA_DIR') ?? './data',
    diskReserveBytes: whole(
      'QUAYSIDE_DISK_RESERVE_BYTES',
      DISK_RESERVE_DEFAULT_BYTES,
      0,
      1024 * 1024 * MiB,
    ),
    scrubBytesPerSecond: whole('QUAYSIDE_SCRUB_BYTES_PER_SECOND', 0, 0, 1024 * 1024 * MiB),
    rootAccessKey: parseAccessKey(text('QUAYSIDE_ROOT_ACCESS_KEY')),
    rootSecretKey: parseSecretKey(text('QUAYSIDE_ROOT_SECRET_KEY')),
    seed: parseSeedText(text('QUAYSIDE_SEED'), parseSeed),
    seededNamedKeys: parseSeedText(text('QUAYSIDE_SEED'), parseSeededNamedKeys),
    masterKeys: parseMasterKeyText(text('QUAYSIDE_MASTER_KEY')),
    isSignatureV2On: parseSwitch('QUAYSIDE_SIGNATURE_V2', text('QUAYSIDE_SIGNATURE_V2') ?? 'on'),
    withoutMasterKeys: parseMasterKeyIds(text('QUAYSIDE_WITHOUT_MASTER_KEYS')),
    customerKeysOverHttp: parseChoice(
      'QUAYSIDE_SSE_C_OVER_HTTP',
      text('QUAYSIDE_SSE_C_OVER_HTTP') ?? 'loopback',
      ['loopback', 'always', 'never'],
    ),
    baseDomain,
    websiteDomain,
    accountsMayBindHosts: text('QUAYSIDE_OWN_HOSTS') !== null,
    ownHosts: [
      ...[baseDomain, websiteDomain].filter((domain) => domain !== null),
      ...ownHosts
        .filter((host) => host !== '')
        .map((host) => requireDomain('QUAYSIDE_OWN_HOSTS', host)),
    ],
    requiresHostProof: parseSwitch('QUAYSIDE_HOST_PROOF', text('QUAYSIDE_HOST_PROOF') ?? 'on'),
    dnsResolver: parseDnsResolver(text('QUAYSIDE_DNS_RESOLVER'), home === 'node'),
    region: parseRegion(text('QUAYSIDE_REGION') ?? 'auto'),
    inlineBodyMaxBytes: whole(
      'QUAYSIDE_INLINE_MAX_BYTES',
      INLINE_DEFAULT_BYTES,
      0,
      INLINE_MAX_BYTES,
    ),
    pointerMemoryMaxEntries: whole(
      'QUAYSIDE_POINTER_MEMORY_ENTRIES',
      memory.entries,
      1,
      10_000_000,
    ),
    pointerMemoryMaxBytes: whole(
      'QUAYSIDE_POINTER_MEMORY_BYTES',
      memory.pointerBytes,
      MiB,
      1024 * 1024 * MiB,
    ),
    bodyMemoryMaxBytes: whole('QUAYSIDE_BODY_MEMORY_BYTES', memory.bodyBytes, 0, 1024 * 1024 * MiB),
    compressionMaxBytes: whole(
      'QUAYSIDE_COMPRESSION_MAX_BYTES',
      COMPRESSION_DEFAULT_BYTES[home],
      0,
      64 * MiB,
    ),
    derivedMemoryMaxBytes: whole(
      'QUAYSIDE_DERIVED_MEMORY_BYTES',
      DERIVED_MEMORY_DEFAULT_BYTES[home],
      0,
      1024 * 1024 * MiB,
    ),
    derivedDiskMaxBytes: whole(
      'QUAYSIDE_DERIVED_DISK_BYTES',
      DERIVED_DISK_DEFAULT_BYTES,
      0,
      1024 * 1024 * 1024 * 1024,
    ),
    bodyMemoryMaxBodyBytes: whole(
      'QUAYSIDE_BODY_MEMORY_MAX_BODY_BYTES',
      memory.maxBodyBytes,
      0,
      64 * MiB,
    ),
    pointerFreshSeconds: whole('QUAYSIDE_POINTER_FRESH_SECONDS', 3, 0, 24 * HOUR_SECONDS),
    staleWhileRevalidateSeconds: whole(
      'QUAYSIDE_STALE_WHILE_REVALIDATE_SECONDS',
      2,
      0,
      24 * HOUR_SECONDS,
    ),
    staleIfErrorSeconds: whole(
      'QUAYSIDE_STALE_IF_ERROR_SECONDS',
      HOUR_SECONDS,
      0,
      7 * 24 * HOUR_SECONDS,
    ),
    tierLimitMs: whole('QUAYSIDE_TIER_LIMIT_MS', TIER_LIMIT_MS[home], 10, 600_000),
    negativeFreshSeconds: whole('QUAYSIDE_NEGATIVE_FRESH_SECONDS', 2, 0, HOUR_SECONDS),
    defaultCacheControl: parseHeaderText(
      'QUAYSIDE_DEFAULT_CACHE_CONTROL',
      text('QUAYSIDE_DEFAULT_CACHE_CONTROL') ?? 'public, max-age=60',
    ),
    isHotLaneOn: parseSwitch('QUAYSIDE_HOT_LANE', text('QUAYSIDE_HOT_LANE') ?? 'on'),
    mapsFiles: parseSwitch('QUAYSIDE_MAPPED_FILES', text('QUAYSIDE_MAPPED_FILES') ?? 'on'),
    trustedProxies: parseAddressRanges(
      'QUAYSIDE_TRUSTED_PROXIES',
      text('QUAYSIDE_TRUSTED_PROXIES'),
    ),
    connectionsMax: whole('QUAYSIDE_CONNECTIONS_MAX', 4096, 1, 1_000_000),
    connectionsPerAddress: whole('QUAYSIDE_CONNECTIONS_PER_ADDRESS', 1024, 0, 1_000_000),
    requestHeadMs: whole('QUAYSIDE_REQUEST_HEAD_SECONDS', 30, 1, 600) * 1000,
    receiveRateMin: whole('QUAYSIDE_RECEIVE_RATE_MIN', 500, 0, 1_000_000_000),
    metricsToken: parseToken('QUAYSIDE_METRICS_TOKEN', text('QUAYSIDE_METRICS_TOKEN')),
    accessLog: parseChoice('QUAYSIDE_ACCESS_LOG', text('QUAYSIDE_ACCESS_LOG') ?? 'off', [
      'off',
      'combined',
      'json',
    ]),
    accessLogFile: text('QUAYSIDE_ACCESS_LOG_FILE'),
    bucketLogSeconds: whole('QUAYSIDE_BUCKET_LOG_SECONDS', 300, 1, 3600),
    isDevServer: parseSwitch('QUAYSIDE_DEV_SERVER', text('QUAYSIDE_DEV_SERVER') ?? 'off'),
    isServerTimingOn: parseSwitch('QUAYSIDE_SERVER_TIMING', text('QUAYSIDE_SERVER_TIMING') ?? 'on'),
    metricsBucketsMax: whole('QUAYSIDE_METRICS_BUCKETS', 0, 0, 10_000),
    sweepIntervalSeconds: whole(
      'QUAYSIDE_SWEEP_INTERVAL_SECONDS',
      HOUR_SECONDS,
      1,
      7 * 24 * HOUR_SECONDS,
    ),
    graceSeconds: whole('QUAYSIDE_GRACE_SECONDS', 24 * HOUR_SECONDS, 60, 365 * 24 * HOUR_SECONDS),
    zipMaxObjects: whole('QUAYSIDE_ZIP_MAX_OBJECTS', ZIP_DEFAULT_OBJECTS, 1, 10_000_000),
    subrequestsMax: whole(
      'QUAYSIDE_SUBREQUESTS_MAX',
      SUBREQUESTS_DEFAULT[home],
      SUBREQUESTS_LEAST,
      SUBREQUESTS_MOST,
    ),
    zipIdleSeconds: whole(
      'QUAYSIDE_ZIP_IDLE_SECONDS',
      ZIP_IDLE_DEFAULT_SECONDS[home],
      1,
      24 * HOUR_SECONDS,
    ),
    lifecycleDaySeconds: whole(
      'QUAYSIDE_LIFECYCLE_DAY_SECONDS',
      24 * HOUR_SECONDS,
      1,
      24 * HOUR_SECONDS,
    ),
    transitionMinBytes: whole(
      'QUAYSIDE_LIFECYCLE_TRANSITION_MIN_BYTES',
      128 * KiB,
      0,
      1024 * 1024 * MiB,
    ),
    staleUploadHours: whole('QUAYSIDE_STALE_UPLOAD_HOURS', 24, 0, 8760),
    webhooks: readWebhookSettings(whole, (name, value) => parseSwitch(name, text(name) ?? value)),
    meterFlushSeconds: whole('QUAYSIDE_METER_FLUSH_SECONDS', 5, 1, 25),
    drainSeconds: whole('QUAYSIDE_DRAIN_SECONDS', 20, 0, HOUR_SECONDS),
    requestsPerMinute: whole('QUAYSIDE_API_REQUESTS_PER_MINUTE', 1200, 0, 1_000_000_000),
    rateCardId: parseRateCardId(text('QUAYSIDE_RATE_CARD') ?? 'cloudflare-r2'),
    invoiceIssuer: parseIssuer(text('QUAYSIDE_INVOICE_ISSUER') ?? 'Quayside'),
    billingCloseHours: whole('QUAYSIDE_BILLING_CLOSE_HOURS', 24, 1, 240),
    stripeSecretKey: parseToken('QUAYSIDE_STRIPE_SECRET_KEY', text('QUAYSIDE_STRIPE_SECRET_KEY')),
    stripeUrl: parseStripeUrl(text('QUAYSIDE_STRIPE_URL') ?? 'https://api.stripe.com'),
    logLevel: parseChoice('QUAYSIDE_LOG_LEVEL', text('QUAYSIDE_LOG_LEVEL') ?? 'info', [
      'info',
      'error',
      'off',
    ]),
  };
}

function parseSeedText<Part>(
  value: string | null,
  parse: (text: string) => readonly Part[],
): readonly Part[] {
  if (value === null) return [];
  try {
    return parse(value);
  } catch (error) {
    throw error instanceof SeedError ? new ConfigError(`QUAYSIDE_SEED: ${error.message}`) : error;
  }
}

function parseMasterKeyText(value: string | null): MasterKeys {
  const keys = value === null ? [] : parseMasterKeys(value);
  if (keys !== null) return keys;
  throw new ConfigError(
    'QUAYSIDE_MASTER_KEY must be keys of 32 bytes in hex or base64, each once, with commas between.',
  );
}

/**
 * The master keys of the settings and, behind them, those of the home's own file: whoever moves
 * from one to the other, or rotates, can go on reading what the old ones wrapped. ConfigError when
 * the text is damaged; it is never shown.
 */
export function withKeptMasterKeys(configured: MasterKeys, keptText: string | null): MasterKeys {
  const kept = keptText === null ? [] : parseMasterKeys(keptText);
  if (kept === null) {
    throw new ConfigError(
      'The file master-key in the data folder holds no master key. Restore it: what it protects can be read with it alone.',
    );
  }
  const known = new Set(configured.map(({ id }) => id));
  return [...configured, ...kept.filter(({ id }) => !known.has(id))];
}
