// What does a hot page of a hosted site cost beside a hot object, on the fast path? One
// process, no sockets, CPU µs per call; each kind of page from the simplest settings to all of
// them.
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNodePorts } from '../src/adapters/node/node-ports.ts';
import { readRequest } from '../src/adapters/node/server/http-request.ts';
import { createConsoleLog } from '../src/adapters/shared/console-log.ts';
import { systemClock } from '../src/adapters/shared/system-clock.ts';
import { parseConfig } from '../src/config.ts';
import { createDecide } from '../src/core/auth/decide.ts';
import { createBucket } from '../src/core/buckets/create-bucket.ts';
import type { Core } from '../src/core/core.ts';
import { HOSTING_DEFAULTS } from '../src/core/hosting/read-hosting.ts';
import { setHosting } from '../src/core/hosting/set-hosting.ts';
import { putObject } from '../src/core/objects/put-object.ts';
import { openBucket } from '../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName, parseObjectKey } from '../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../src/domain/bucket-access.ts';
import type { HostingSettings } from '../src/domain/hosting.ts';
import { ROOT_ACCOUNT } from '../src/domain/root-account.ts';
import { createDelivery } from '../src/http/delivery/create-delivery.ts';
import type { PlainRead } from '../src/http/delivery/fast-path/fast-path.ts';
import { publicPolicy } from '../test/access-samples.ts';
import { median, printTable } from './lib/table.ts';

const BODY = Buffer.alloc(10 * 1024, 'quayside ');
const LOOPS = 40_000;
const ROUNDS = 9;
const REDIRECTS = Array.from({ length: 500 }, (_, i) => `/old-${i} /new-${i} 301`).join('\n');
const HEADERS = '/*\n  X-Robots-Tag: noindex\n/assets/*\n  Cache-Control: public, max-age=60\n';

function cost(call: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let i = 0; i < LOOPS; i++) call();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / LOOPS;
  });
  return median(rounds);
}

const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const log = createConsoleLog(systemClock, 'off');
const config = parseConfig({ QUAYSIDE_WEBSITE_DOMAIN: 'web.example' });
const { ports, close } = await openNodePorts(config, {
  dataDir: folder,
  log,
  onCrash: () => process.exit(1),
});
try {
  const core: Core = { ports, settings: config };
  const delivery = createDelivery(core, config, createDecide());
  const rows: (string | number)[][] = [['what is asked for', 'CPU µs']];

  async function makeBucket(
    name: string,
    settings: Partial<HostingSettings> | null,
    files: Record<string, string>,
  ) {
    await createBucket(core, ROOT_ACCOUNT, parseBucketName(name), {
      ...PRIVATE_ACCESS,
      policyJson: publicPolicy(name),
    });
    const bucket = await openBucket(core, parseBucketName(name), () => undefined);
    const pages = {
      'index.html': null,
      'about.html': null,
      'assets/app.js': null,
      'cat.jpg': null,
    };
    for (const [key, text] of Object.entries<string | null>({ ...pages, ...files })) {
      const bytes = text === null ? BODY : Buffer.from(text);
      await putObject(core, bucket, {
        key: parseObjectKey(key),
        attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
        expectation: { contentMd5Hex: null, checksum: null },
        body: { lengthBytes: bytes.length, pump: async (onChunk) => void (await onChunk(bytes)) },
        condition: null,
      });
    }
    if (settings !== null) await setHosting(core, bucket, { ...HOSTING_DEFAULTS, ...settings });
  }

  async function measure(
    label: string,
    host: string,
    rawPath: string,
    headers: Record<string, string> = {},
  ) {
    const incoming = {
      method: 'GET',
      url: rawPath,
      headers: { host, ...headers },
      httpVersion: '1.1',
      socket: {},
    };
    const bindings = {
      incoming: incoming as unknown as IncomingMessage,
      outgoing: {} as ServerResponse,
    };
    const read: PlainRead = {
      isHead: false,
      rawPath,
      host,
      ifNoneMatch: null,
      range: null,
      header: (name) => headers[name] ?? null,
    };
    const [rawBucket = '', rawKey = ''] = rawPath.slice(1).split(/\/(.*)/s);
    const site = host.endsWith('.web.example') ? host.slice(0, -'.web.example'.length) : null;
    for (const _ of [1, 2]) {
      const request = readRequest(bindings);
      await (site === null
        ? delivery.deliver(request, rawBucket, rawKey, 'id')
        : delivery.deliverSite(
            request,
            { rawBucket: site, rawPath: rawPath.slice(1), binding: null },
            'id',
          ));
    }
    if (delivery.answerAtOnce(read) === null) throw new Error(`${label}: not hot`);
    rows.push([label, cost(() => delivery.answerAtOnce(read)).toFixed(2)]);
  }

  await makeBucket('plain', null, {});
  await makeBucket('simple', {}, {});
  await makeBucket('ruled', {}, { _redirects: REDIRECTS, _headers: HEADERS });
  const hotlink = { allowedHosts: ['a.example'], allowEmptyReferer: false, match: ['*.jpg'] };
  await makeBucket('app', { spaFallback: true, hotlink, securityHeaders: 'strict' }, {});
  await measure('an object, no site', '127.0.0.1:9000', '/plain/assets/app.js');
  await measure('an asset of a site', 'simple.web.example', '/assets/app.js');
  await measure('its first page', 'simple.web.example', '/');
  await measure('a page at its clean address', 'simple.web.example', '/about');
  await measure('the same with 500 redirects and some headers', 'ruled.web.example', '/about');
  await measure('a route of an app: three keys that are not there', 'app.web.example', '/a/route');
  await measure('a picture with hotlink rules', 'app.web.example', '/cat.jpg', {
    referer: 'https://a.example/',
  });
  printTable(rows);
} finally {
  await close(1000);
  await rm(folder, { recursive: true, force: true });
}
