// Two servers over the same core, objects and tiers, one with the fast path and one without, and
// connections in memory that give the server exactly the chunks that a test sends. The fuzz test
// and its bench compare the two with it.
import type { Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { attachFastPath } from '../../../src/adapters/node/fast-path/attach-fast-path.ts';
import type { FastPathConnections } from '../../../src/adapters/node/fast-path/connections.ts';
import { createHttpServer, type NodeBindings } from '../../../src/adapters/node/serve.ts';
import { readRequest } from '../../../src/adapters/node/server/http-request.ts';
import type { ResponseCounts } from '../../../src/adapters/node/server/response-counts.ts';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { createApp } from '../../../src/app.ts';
import { type Config, parseConfig } from '../../../src/config.ts';
import {
  admitPublicObjects,
  setBucketAccess,
} from '../../../src/core/buckets/set-bucket-access.ts';
import { setCap } from '../../../src/core/caps/set-cap.ts';
import type { RequestedEncryption } from '../../../src/core/encryption/envelope.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { setHosting } from '../../../src/core/hosting/set-hosting.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import { updateVersion } from '../../../src/core/objects/update-version.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import type { ObjectAttributes } from '../../../src/domain/nouns.ts';
import type { FastPath } from '../../../src/http/delivery/fast-path/fast-path.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { bytesCap } from '../../core/caps/cap-samples.ts';
import {
  ATTRIBUTES,
  createExactHotMetadata,
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
  withPorts,
} from '../../core/memory-core.ts';

export const BASE_DOMAIN = 'base.test';
export const WEBSITE_DOMAIN = 'web.test';
export const PUBLIC_BUCKET = 'pub';
export const SITE_BUCKET = 'site';
export const SITE_KEYS: readonly string[] = [
  'index.html',
  'a/index.html',
  'a/404.html',
  'page.html',
];
/**
 * A bucket whose access is of every kind: open and shut prefixes, conditions, patterns, objects
 * with lists of their own.
 */
export const RULED_BUCKET = 'ruled';
const RULED_KEYS: readonly string[] = [
  'open/a',
  'open/shut',
  'open/shy',
  'friends/a',
  'texts/a.txt',
  'texts/a.bin',
  'own/public',
  'own/private',
  'a',
];
export const RULED_TARGETS: readonly string[] = [
  ...RULED_KEYS,
  'open/none',
  'friends/none',
  'own/none',
  'none',
].map((name) => `/${RULED_BUCKET}/${name}`);
/**
 * Public buckets with a cap: one that is far away, and one that was reached before anybody asks.
 */
const CAPPED_BUCKETS: Readonly<Record<string, bigint>> = { capped: 2n ** 50n, spent: 1n };
const CAPPED_KEYS: Readonly<Record<string, number>> = { inline: 10, big: 50_000 };
export const CAPPED_TARGETS: readonly string[] = Object.keys(CAPPED_BUCKETS).flatMap((bucket) =>
  [...Object.keys(CAPPED_KEYS), 'none'].map((name) => `/${bucket}/${name}`),
);
/**
 * A public bucket of which memory keeps what is not there, and one that is not there at all. Names
 * that documents must escape, and one that makes a long document.
 */
const GONE_BUCKET = 'gone';
export const GONE_TARGETS: readonly string[] = [
  '/gone/here',
  '/gone/none',
  "/gone/&'%3C%22%3E",
  '/gone/n%C3%B6ne/%F0%9F%98%80',
  `/gone/${"&'".repeat(500)}`,
  '/nowhere/none',
  '/private/inline',
  '/private/none',
];
const GONE_NAMES: ReadonlySet<string> = new Set(
  GONE_TARGETS.map((target) => decodeURIComponent(target.slice(1))),
);
/** A bucket with hosting settings of every kind, and its hosts: the last shows a folder of it. */
const HOSTED_BUCKET = 'hosted';
export const HOSTED_HOSTS: readonly string[] = [
  'hosted.web.test',
  'www.hosted.test:8080',
  'docs.hosted.test',
];
const HOSTED_KEYS: readonly string[] = [
  'index.html',
  'about.html',
  'LICENSE',
  'docs/index.html',
  'docs/page.html',
  'docs/sub/index.html',
  'app.3f2a91bc.js',
  'cat.jpg',
  '404.html',
];
const HOSTED_RULES: Readonly<Record<string, string>> = {
  _headers: '/docs/*\n  X-Docs: yes\n  Cache-Control: no-cache\n/about\n  ! X-Frame-Options\n',
  _redirects:
    '/old /about 301\n/LICENSE https://www.hosted.test/LICENSE 301\n/news/* /docs/:splat\n' +
    '/start /index.html 200\n/* /docs/:splat 200\n',
  'docs/_headers': '/*\n  X-Robots-Tag: noindex\n',
};

/**
 * Sizes around what is treated apart: nothing, inline, one buffer, two buffers, several slices, too
 * long for the tiers.
 */
const OBJECTS: readonly {
  readonly key: string;
  readonly sizeBytes: number;
  readonly attributes?: Partial<ObjectAttributes>;
  readonly encryption?: RequestedEncryption;
}[] = [
  { key: 'empty', sizeBytes: 0 },
  { key: 'inline', sizeBytes: 10 },
  { key: 'a/b.txt', sizeBytes: 3000 },
  { key: 'big', sizeBytes: 50_000 },
  // The lane leaves alone what is encrypted.
  { key: 'encrypted', sizeBytes: 11, encryption: { kind: 'server' } },
  { key: 'encrypted/big', sizeBytes: 3000, encryption: { kind: 'server' } },
  { key: 'slices', sizeBytes: 150_000 },
  { key: 'past-tiers', sizeBytes: 300_000 },
  // What goes out compressed, like the text above: inline in the row, and a blob.
  { key: 'small.css', sizeBytes: 1500 },
  { key: 'large.js', sizeBytes: 20_000 },
  { key: 'a//b', sizeBytes: 5 },
  { key: 'a/../b', sizeBytes: 6 },
  { key: 'sp ace', sizeBytes: 7 },
  { key: 'x+y', sizeBytes: 8 },
  { key: 'ü', sizeBytes: 9 },
  { key: '?#%', sizeBytes: 4 },
  {
    key: 'with-headers',
    sizeBytes: 20,
    attributes: {
      headers: {
        contentType: 'text/html; charset=utf-8',
        cacheControl: 'no-cache',
        contentDisposition: 'attachment; filename="\xfc.html"',
        contentEncoding: 'gzip',
        contentLanguage: 'de',
      },
      userMetadata: { colour: 'bl\xe4u', empty: '' },
      storageClass: 'STANDARD_IA',
    },
  },
];

export const KEYS: readonly string[] = OBJECTS.map((object) => object.key);

/** A core with a public bucket of known objects and a private one. */
export async function createStockedCore(): Promise<MemoryCore> {
  const made = createMemoryCore();
  // "There is none" is never kept: whether it was decides if a 404 comes at once, before what
  // follows it in the same chunk is read, and the doors would differ by who asked first. Sites
  // answer late in any case, so there it may be kept, as on a real server. So may names that are
  // all asked for before the first conversation.
  const { clock } = made.ports;
  const tiers = {
    brief: createExactHotMetadata(clock, 0),
    lasting: createExactHotMetadata(clock, 3600),
    // A tier of their own, so that names that are made up push none of them out.
    gone: createExactHotMetadata(clock, 3600),
  };
  const tierOf = (bucket: string, name: string) => {
    if (GONE_NAMES.has(`${bucket}/${name}`)) return tiers.gone;
    return bucket === HOSTED_BUCKET ? tiers.lasting : tiers.brief;
  };
  const core = withPorts(made, {
    hotMetadata: {
      peek: (bucket, name) => tierOf(bucket, name).peek(bucket, name),
      find: (bucket, name, load) => tierOf(bucket, name).find(bucket, name, load),
      findAll: (bucket, names, load) => tierOf(bucket, '').findAll(bucket, names, load),
      evict(bucket, names) {
        for (const tier of Object.values(tiers)) tier.evict(bucket, names);
      },
      staleForMs: () => 0,
    },
  });
  const bucket = await openTestBucket(core, PUBLIC_BUCKET);
  await core.ports.metadataIndex.call(bucket.record().name, 'setBucketAccess', {
    bucket: bucket.record(),
    access: PUBLIC_ACCESS,
  });
  const hidden = await openTestBucket(core, 'private');
  await setUpSite(core);
  await setUpHosted(core);
  await setUpRuled(core);
  await setUpCapped(core);
  const gone = await openTestBucket(core, GONE_BUCKET);
  await gone.call('setBucketAccess', { access: PUBLIC_ACCESS });
  await put(core, GONE_BUCKET, 'here', 20);
  for (const { key: name, sizeBytes, ...more } of OBJECTS) {
    await put(core, PUBLIC_BUCKET, name, sizeBytes, more.attributes, more.encryption);
  }
  await put(core, hidden.record().name, 'inline', 10);
  return core;
}

/** A public bucket with CORS rules that is a website too. */
async function setUpSite(core: MemoryCore): Promise<void> {
  const site = await openTestBucket(core, SITE_BUCKET);
  await site.call('setBucketAccess', { access: PUBLIC_ACCESS });
  const rule = {
    id: null,
    allowedMethods: ['GET'],
    allowedOrigins: ['http://h'],
    allowedHeaders: [],
  } as const;
  await setBucketSettings(core, site, {
    cors: [{ ...rule, exposeHeaders: ['etag'], maxAgeSeconds: 60 }],
    website: {
      redirectAllTo: null,
      indexSuffix: 'index.html',
      errorKey: 'a/404.html',
      routingRules: [],
    },
  });
  for (const name of SITE_KEYS) await put(core, SITE_BUCKET, name, 300);
}

/** Hosting with everything on that decides something for a page. */
async function setUpHosted(core: MemoryCore): Promise<void> {
  const hosted = await openTestBucket(core, HOSTED_BUCKET);
  await hosted.call('setBucketAccess', { access: PUBLIC_ACCESS });
  await setHosting(core, hosted, {
    ...HOSTING_DEFAULTS,
    spaFallback: true,
    cacheControlRules: [{ match: '/docs/**', cacheControl: 'max-age=9' }],
    hotlink: { allowedHosts: ['friend.test'], allowEmptyReferer: false, match: ['*.jpg'] },
    securityHeaders: 'strict',
    domains: [
      { host: 'www.hosted.test', prefix: '' },
      { host: 'docs.hosted.test', prefix: 'docs/' },
    ],
  });
  for (const name of HOSTED_KEYS) await put(core, HOSTED_BUCKET, name, 300);
  for (const [name, text] of Object.entries(HOSTED_RULES)) {
    await putBytes(core, hosted, name, new TextEncoder().encode(text));
  }
}

/**
 * Everyone may read some keys always, some where the policy likes the request, some because of
 * their own list.
 */
async function setUpRuled(core: MemoryCore): Promise<void> {
  const bucket = await openTestBucket(core, RULED_BUCKET);
  const rule = (Effect: string, keys: string, Condition: object = {}) => ({
    Effect,
    Principal: '*',
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${RULED_BUCKET}/${keys}`,
    Condition,
  });
  const Statement = [
    rule('Allow', 'open/*'),
    rule('Deny', 'open/shut*'),
    rule('Deny', 'open/shy*', { StringLike: { 'aws:UserAgent': 'Mozilla/*' } }),
    rule('Allow', 'friends/*', { StringLike: { 'aws:Referer': 'http://friend.test/*' } }),
    rule('Allow', 'texts/*.txt'),
  ];
  await setBucketAccess(bucket, {
    policyJson: JSON.stringify({ Version: '2012-10-17', Statement }),
  });
  await admitPublicObjects(bucket);
  for (const name of RULED_KEYS) await put(core, RULED_BUCKET, name, 20);
  const everyone = { grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' } as const;
  const named = { key: key('own/public'), versionId: null, change: { acl: [everyone] } };
  await updateVersion(core, await openTestBucket(core, RULED_BUCKET), named);
}

async function setUpCapped(core: MemoryCore): Promise<void> {
  const flusher = createUsageFlusher(core, { source: 'before', intervalMs: 1000 });
  for (const [name, limit] of Object.entries(CAPPED_BUCKETS)) {
    const bucket = await openTestBucket(core, name);
    await bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
    for (const [of, sizeBytes] of Object.entries(CAPPED_KEYS)) await put(core, name, of, sizeBytes);
    const { id, ownerId } = bucket.record();
    const { meter } = core.ports;
    meter
      .of({ accountId: ownerId, bucketId: id, accessKeyId: null })
      .count('B', 1, 'memory', 'STANDARD');
    await flusher.flush();
    await setCap(
      core,
      ownerId,
      bytesCap(limit, { id: name, scope: { kind: 'bucket', bucketId: id } }),
    );
  }
}

export async function put(
  core: MemoryCore,
  bucketName: string,
  name: string,
  sizeBytes: number,
  attributes: Partial<ObjectAttributes> = {},
  encryption: RequestedEncryption | null = null,
): Promise<string> {
  const bucket = await openTestBucket(core, bucketName);
  const more = { attributes: { ...ATTRIBUTES, ...attributes }, encryption };
  return (await putBytes(core, bucket, name, sampleBytes(sizeBytes), more)).etag;
}

export type TestServer = {
  readonly server: Server;
  readonly lane: FastPathConnections | null;
  /** How often the fast path has answered, in the lane or behind node:http. */
  readonly fastPathResponses: () => number;
  /** How many signed reads the fast path has answered. */
  readonly signedAnswers: () => number;
};

/**
 * `hasFastPath`: node:http asks the fast path too, as it does in the product; without lane and door
 * the app answers all.
 */
export function openTestServer(
  core: MemoryCore,
  options: {
    hasFastConnections: boolean;
    hasFastPath?: boolean;
    nowMs?: () => number;
    settings?: Partial<Config>;
    counts?: ResponseCounts;
    /** Instead of parts of the app's own. */
    fastPath?: Partial<FastPath>;
  },
): TestServer {
  const config = {
    ...parseConfig({ QUAYSIDE_BASE_DOMAIN: BASE_DOMAIN, QUAYSIDE_WEBSITE_DOMAIN: WEBSITE_DOMAIN }),
    ...core.settings,
    ...options.settings,
  };
  const app = createApp<NodeBindings>(core.ports, config, (c) => readRequest(c.env));
  const door = { ...app.fastPath, ...options.fastPath };
  let answers = 0;
  let signedAnswers = 0;
  const fastPath: FastPath = {
    ...door,
    answer(read, askProtocol) {
      const reply = door.answer(read, askProtocol);
      if (reply !== null) answers += 1;
      return reply;
    },
    answerSigned(read) {
      const reply = door.answerSigned(read);
      if (reply !== null) signedAnswers += 1;
      return reply;
    },
  };
  const { hasFastConnections, hasFastPath = hasFastConnections } = options;
  const server = createHttpServer(app.fetch, {
    log: core.ports.log,
    fastPath: hasFastPath ? fastPath : null,
    ...(options.counts === undefined ? {} : { counts: options.counts }),
  });
  const lane = hasFastConnections
    ? attachFastPath(server, fastPath, { log: core.ports.log, ...options })
    : null;
  return { server, lane, fastPathResponses: () => answers, signedAnswers: () => signedAnswers };
}

/**
 * The three that are compared, each a process of its own as far as usage and caps go: with the
 * lane, with the fast path behind node:http, and without either.
 */
export function openTestServers(
  core: MemoryCore,
  settings: Partial<Config> = {},
): Readonly<Record<'withLane' | 'behind' | 'without', TestServer>> {
  const own = () => withPorts(core, { meter: createUsageMeter(core.ports.clock) });
  return {
    withLane: openTestServer(own(), { hasFastConnections: true, settings }),
    behind: openTestServer(own(), { hasFastConnections: false, hasFastPath: true, settings }),
    without: openTestServer(own(), { hasFastConnections: false, settings }),
  };
}

/** The client's end of a connection in memory. */
export type Line = {
  readonly client: Duplex;
  readonly server: Duplex;
  received(): Buffer;
  receivedBytes(): number;
  isClosed(): boolean;
};

export function connectTo({ server }: Pick<TestServer, 'server'>): Line {
  const [client, far] = duplexPair();
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  let isClosed = false;
  client.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    receivedBytes += chunk.length;
  });
  client.on('end', () => {
    isClosed = true;
  });
  client.on('error', () => {});
  server.emit('connection', asSocket(far));
  return {
    client,
    server: far,
    received: () => Buffer.concat(chunks),
    receivedBytes: () => receivedBytes,
    isClosed: () => isClosed,
  };
}

/** node:http ends connections through a method of net.Socket. */
function asSocket(far: Duplex): Duplex {
  const prototype = Object.create(Object.getPrototypeOf(far), {
    destroySoon: { value: () => far.end(() => far.destroy()), writable: true },
  });
  return Object.setPrototypeOf(far, prototype);
}

/**
 * Turns of the event loop without anything new after which an answer is complete; the longest chain
 * seen takes 4.
 */
const QUIET_TURNS = 8;

/** Resolves when nothing more comes. */
export async function settle(lines: readonly Line[]): Promise<void> {
  const sizeOf = () =>
    lines.reduce((sum, line) => sum + line.receivedBytes() + (line.isClosed() ? 1 : 0), 0);
  let size = sizeOf();
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
    await nextTurn();
    const now = sizeOf();
    if (now !== size) quiet = 0;
    size = now;
  }
}

/** An answer without what is fresh in each: dates, request ids and durations. */
export function timeless(received: Buffer): string {
  return received
    .toString('latin1')
    .replace(/\r\nDate: [^\r]*\r\n/g, '\r\nDate: \r\n')
    .replace(/\r\n(x-amz-request-id|x-amz-id-2): \w+/g, '\r\n$1: ')
    .replace(/\r\nserver-timing: [^\r]*/g, (header) => header.replace(/dur=[\d.]+/g, 'dur='))
    .replace(/<(RequestId|HostId)>\w+</g, '<$1><')
    .replace(/<code>\w+<\/code>/g, '<code></code>')
    .replace(/Request id: \w+/g, 'Request id: ');
}
