// What each operation asks of Cloudflare: calls of bindings, and rows written as workerd counts
// them, which are what is billed. bench/lib/operation-counts.ts has the numbers; a change that
// writes a row more fails here.

import { env, exports } from 'cloudflare:workers';
import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  LATE_PUTS,
  OPERATION_COUNTS,
  type OperationCounts,
} from '../../bench/lib/operation-counts.ts';
import { createDoLedger } from '../../src/adapters/cloudflare/clients/do-ledger.ts';
import { createUsageFlusher } from '../../src/core/metering/flush-usage.ts';
import type { PutTotals } from '../../src/domain/billing/put-totals.ts';
import type { AccountId, BucketId } from '../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import type { UploadRows } from '../../src/domain/uploads/upload-rows.ts';
import { patternBytes } from '../contract/bodies.ts';
import { bucketObject, freshBucketName, PUBLIC, recordOf } from './kit/bucket.ts';
import { createIsolate } from './kit/isolate.ts';
import { watchRows } from './kit/watch-rows.ts';
import { createWorkersCache } from './kit/workers-cache.ts';

const MiB = 1024 * 1024;
const KEY = { id: 'operation-costs', secret: 'operation-costs-secret' };
const SETTINGS = {
  QUAYSIDE_ROOT_ACCESS_KEY: KEY.id,
  QUAYSIDE_ROOT_SECRET_KEY: KEY.secret,
};
/** Operations of R2 that are billed as writes; the others read, and deletions are free. */
const CLASS_A = new Set(['put', 'createMultipartUpload', 'resumeMultipartUpload', 'list']);

async function createWorld() {
  const cached = createWorkersCache(exports.BodySlices);
  const bucket = freshBucketName();
  const aws = new AwsClient({
    accessKeyId: KEY.id,
    secretAccessKey: KEY.secret,
    service: 's3',
    region: 'us-east-1',
  });
  let isolate = createIsolate({ cached, settings: SETTINGS });
  const url = (path: string) => `https://files.example/${bucket}${path}`;
  const signed = async (
    method: string,
    path: string,
    body: BodyInit | null = null,
    further: Readonly<Record<string, string>> = {},
  ) => {
    const length = body instanceof Uint8Array ? body.length : `${body ?? ''}`.length;
    const headers = { 'content-length': `${length}`, ...further };
    const request = await aws.sign(url(path), { method, headers, body });
    const init = { method, headers: request.headers, ...(body !== null && { body }) };
    return { url: request.url, init };
  };
  const record = { ...recordOf(bucket, PUBLIC), ownerId: ROOT_ACCOUNT.id };
  await bucketObject(bucket).call('createBucket', { bucket: record });
  const indexRows = await watchRows(env.BUCKETS.get(env.BUCKETS.idFromName(bucket)));
  const ledger = env.LEDGER.get(env.LEDGER.idFromName(ROOT_ACCOUNT.id));
  const ledgerRows = await watchRows(ledger);
  let flushes = 0;

  /** Brings what was used to the ledger, and returns the rows that this wrote. */
  async function flush(): Promise<number> {
    flushes += 1;
    const before = ledgerRows();
    const source = `costs ${bucket} ${flushes}`;
    const flusher = createUsageFlusher(isolate.core, { source, intervalMs: 1 });
    expect(await flusher.flush()).toBe(true);
    return ledgerRows() - before;
  }

  return {
    bucket,
    url,
    signed,
    flush,
    /** The last upload of the bucket that is not completed. */
    async findUpload(): Promise<string> {
      const { url: address, init } = await signed('GET', '?uploads');
      const text = await (await isolate.fetch(address, init)).text();
      return /<UploadId>([^<]+)/.exec(text)?.[1] ?? '';
    },
    renew: (formats: { uploadRows?: UploadRows; putTotals?: PutTotals } = {}) => {
      isolate = createIsolate({ cached, settings: SETTINGS, ...formats });
    },
    async count(requests: readonly { url: string; init?: RequestInit }[]) {
      const sum = { ...EMPTY, requests: requests.length };
      const rowsBefore = indexRows();
      for (const request of requests) {
        const cost = await isolate.count(request.url, request.init);
        expect([200, 204, 206]).toContain(cost.status);
        for (const [name, calls] of Object.entries(cost.r2)) {
          if (CLASS_A.has(name)) sum.r2ClassA += calls;
          else if (name !== 'delete') sum.r2ClassB += calls;
        }
        sum.indexCalls += cost.index.get ?? 0;
        sum.directoryCalls += cost.directory.get ?? 0;
        sum.kvReads += cost.kv.get ?? 0;
        sum.entrypointCalls += cost.entrypoint;
        sum.entrypointRuns += cost.behind;
      }
      sum.indexRows = indexRows() - rowsBefore;
      sum.ledgerRows = await flush();
      return sum as OperationCounts;
    },
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;

const EMPTY = {
  indexCalls: 0,
  indexRows: 0,
  ledgerRows: 0,
  directoryCalls: 0,
  kvReads: 0,
  r2ClassA: 0,
  r2ClassB: 0,
  entrypointCalls: 0,
  entrypointRuns: 0,
  requests: 0,
};

it('operations ask no more of Cloudflare than the table of costs says', {
  timeout: 120_000,
}, async () => {
  // The clock stands: on a slow machine records would be asked for anew, and hours would turn, with
  // which the ledger begins a page.
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await measureAll()).toEqual(OPERATION_COUNTS);
});

it('isolates that flush at once share the rows of the ledger, and each is recorded', async () => {
  const accountId = freshBucketName() as string as AccountId;
  const ledger = createDoLedger(env.LEDGER);
  const record = (isolate: number) => {
    const rows = [
      {
        hourMs: Date.now() - (Date.now() % HOUR_MS),
        bucketId: 'b~1' as BucketId,
        accessKeyId: null,
        meter: 'class-b/STANDARD' as const,
        quantity: 1n,
      },
    ];
    const batch = { source: `isolate ${isolate}`, sequence: 1, rows, attempt: 'first' as const };
    return ledger.call('record', { accountId, batches: [batch], nowMs: Date.now() });
  };
  await record(0);
  const rows = await watchRows(env.LEDGER.get(env.LEDGER.idFromName(accountId)));
  await Promise.all(Array.from({ length: 100 }, (_, at) => record(at + 1)));
  const all = { accountId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] };
  expect(await ledger.call('query', all)).toMatchObject([{ quantity: 101n }]);
  // One for what comes alone, and one for each quarter of a second; on a slow machine some more.
  expect(rows()).toBeLessThan(20);
});

async function measureAll(): Promise<Record<string, OperationCounts>> {
  const world = await createWorld();
  const { signed, count, url } = world;
  const measured: Record<string, OperationCounts> = {};
  const measure = async (name: string, ...requests: { url: string; init?: RequestInit }[]) => {
    measured[name] = await count(requests);
  };

  // The first page of the hour, and what the bucket keeps of its first objects.
  await count([await signed('PUT', '/first', patternBytes(100_000))]);
  // The rows that begin a pack: one PUT of some hundred writes them.
  await count([await signed('PUT', '/first-small', patternBytes(10_240))]);
  await count([await signed('DELETE', '/first-small')]);
  await measure('PUT of 100 kB', await signed('PUT', '/large', patternBytes(100_000)));
  await measure('PUT of 100 kB over another', await signed('PUT', '/large', patternBytes(99_999)));
  await measure('PUT of 10 KiB', await signed('PUT', '/small', patternBytes(10_240)));
  await measure('PUT of 8 MiB', await signed('PUT', '/huge', patternBytes(8 * MiB)));
  for (const [size, path] of [
    ['100 kB', '/large'],
    ['10 KiB', '/small'],
    ['8 MiB', '/huge'],
  ] as const) {
    world.renew();
    await measure(`GET of ${size}, cold everywhere`, { url: url(path) });
    world.renew();
    await measure(`GET of ${size} from the edge`, { url: url(path) });
    await measure(`GET of ${size} from memory`, { url: url(path) });
  }
  await measure('list of 4 objects', await signed('GET', '?list-type=2'));
  await measure('DELETE of 100 kB', await signed('DELETE', '/large'));
  await measure('DELETE of 10 KiB', await signed('DELETE', '/small'));
  const names = Array.from({ length: 100 }, (_, at) => `many/${at}`);
  await count(await Promise.all(names.map((name) => signed('PUT', `/${name}`, `body of ${name}`))));
  const listed = names.map((name) => `<Object><Key>${name}</Key></Object>`).join('');
  const document = `<Delete>${listed}</Delete>`;
  const digest = { 'content-md5': createHash('md5').update(document).digest('base64') };
  const deletion = await signed('POST', '?delete', document, digest);
  await measure('DELETE of 100 small objects in one request', deletion);

  measured['multipart of ten parts'] = await measureParts(world, '/parts');

  // What came before is counted, so that every 33rd of these writes the totals.
  await count([await signed('DELETE', '/huge')]);
  const puts = Array.from({ length: 47 + LATE_PUTS.puts }, (_, at) => `/late/${at}`);
  const several = await Promise.all(puts.map((path) => signed('PUT', path, patternBytes(16_385))));
  await count(several.slice(0, 47));
  const { indexRows } = await count(several.slice(47));
  expect(indexRows).toBe(LATE_PUTS.rows);

  world.renew({ putTotals: 'at-once', uploadRows: 'separate' });
  await world.findUpload();
  await count([await signed('DELETE', '/late/0')]);
  const atOnce = await signed('PUT', '/at-once', patternBytes(100_000));
  await measure('PUT of 100 kB, counted at once', atOnce);
  measured['multipart of ten parts, separate rows'] = await measureParts(world, '/separate');
  return measured;
}

/** Ten parts, one after the other, as a client sends them that does so. */
async function measureParts(
  { signed, count, findUpload }: World,
  path: string,
): Promise<OperationCounts> {
  const part = patternBytes(5 * MiB);
  const begun = await count([await signed('POST', `${path}?uploads`)]);
  const uploadId = await findUpload();
  const parts = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      signed('PUT', `${path}?partNumber=${at + 1}&uploadId=${uploadId}`, part),
    ),
  );
  const etag = createHash('md5').update(part).digest('hex');
  const list = parts.map(
    (_, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  const completed = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
  const completion = await signed('POST', `${path}?uploadId=${uploadId}`, completed);
  const rest = await count([...parts, completion]);
  return sumOf(begun, rest);
}

/** Two counts together; a single flush takes what both used. */
function sumOf(a: OperationCounts, b: OperationCounts): OperationCounts {
  const names = Object.keys(a) as (keyof OperationCounts)[];
  const sums = names.map((name) => [name, a[name] + b[name]]);
  return { ...Object.fromEntries(sums), ledgerRows: Math.max(a.ledgerRows, b.ledgerRows) };
}
