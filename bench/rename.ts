// How long does it take to rename a prefix with 10,000 objects on the Node platform, and how many
// bytes of bodies does it read or write? A data folder, its writer thread and real blobs; the job
// as a user starts it, and its undo.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNodePorts } from '../src/adapters/node/node-ports.ts';
import { parseConfig } from '../src/config.ts';
import { createBucket } from '../src/core/buckets/create-bucket.ts';
import type { Core } from '../src/core/core.ts';
import { startKeyJob, undoKeyJob } from '../src/core/key-jobs/start-key-job.ts';
import { putObject } from '../src/core/objects/put-object.ts';
import { type BucketHandle, openBucket } from '../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../src/core/opened-bucket/set-bucket-settings.ts';
import { parseBucketName, parseObjectKey } from '../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../src/domain/bucket-access.ts';
import type { KeyJob, KeyJobId } from '../src/domain/keys/key-jobs.ts';
import { ROOT_ACCOUNT } from '../src/domain/root-account.ts';
import { printTable } from './lib/table.ts';

const OBJECTS = 10_000;
/** Above what stands inline, so that each object has a blob. */
const BODY_BYTES = 20 * 1024;
const PARALLEL = 64;

const body = new Uint8Array(BODY_BYTES).fill(7);
const log = { info: () => undefined, error: (event: string) => process.stderr.write(`${event}\n`) };

async function fill(core: Core, bucket: BucketHandle): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let at = next++; at < OBJECTS; at = next++) {
      await putObject(core, bucket, {
        key: parseObjectKey(
          `photos/2026/album-${at % 100}/image-${String(at).padStart(6, '0')}.jpg`,
        ),
        attributes: {
          headers: { contentType: 'image/jpeg' },
          userMetadata: {},
          storageClass: 'STANDARD',
        },
        body: { lengthBytes: body.length, pump: async (onChunk) => onChunk(body) },
        expectation: { contentMd5Hex: null, checksum: null },
        condition: null,
      });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

async function waitFor(bucket: BucketHandle, id: KeyJobId): Promise<KeyJob> {
  for (;;) {
    const job = await bucket.call('getKeyJob', { id });
    if (job === null) throw new Error('The job is gone.');
    if (job.state !== 'running') return job;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const rows: (string | number)[][] = [
  ['bucket', 'what', 'objects', 'seconds', 'CPU s', 'calls of the blob store'],
];
const dataDir = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
try {
  const key = {
    QUAYSIDE_ROOT_ACCESS_KEY: 'bench-rename-key',
    QUAYSIDE_ROOT_SECRET_KEY: 'bench-rename-secret',
  };
  const config = parseConfig({ QUAYSIDE_DATA_DIR: dataDir, ...key });
  const onCrash = (error: unknown) => {
    throw error;
  };
  const { ports, close } = await openNodePorts(config, { dataDir, log, onCrash });
  let blobCalls = 0;
  const blobStore = new Proxy(ports.blobStore, {
    get(target, name) {
      blobCalls++;
      return Reflect.get(target, name);
    },
  });
  const core: Core = { ports: { ...ports, blobStore }, settings: config };
  const open = (name: string) => openBucket(core, parseBucketName(name), () => undefined);
  for (const kind of ['without versions', 'with versions', 'into another bucket']) {
    const name = kind.replaceAll(' ', '-');
    for (const made of [name, `${name}-2`]) {
      await createBucket(core, ROOT_ACCOUNT, parseBucketName(made), PRIVATE_ACCESS);
    }
    if (kind === 'with versions')
      await setBucketSettings(core, await open(name), { versioning: 'enabled' });
    const bucket = await open(name);
    await fill(core, bucket);
    const toBucket = kind === 'into another bucket' ? parseBucketName(`${name}-2`) : null;
    const selection = { prefix: 'photos/2026/', keys: null };
    const task = { kind: 'move', selection, to: 'archive/', toBucket, conflict: 'refuse' } as const;
    let last: KeyJobId = '';
    for (const what of ['rename', 'undo']) {
      blobCalls = 0;
      const cpu = process.cpuUsage();
      const startedAt = performance.now();
      const accountId = ROOT_ACCOUNT.id;
      const begun =
        what === 'rename'
          ? await startKeyJob(core, bucket, { task, accountId })
          : await undoKeyJob(core, bucket, { id: last, accountId });
      const job = await waitFor(bucket, begun.id);
      const seconds = (performance.now() - startedAt) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      last = job.id;
      rows.push([
        kind,
        what,
        job.counts.done,
        seconds.toFixed(2),
        ((user + system) / 1e6).toFixed(2),
        blobCalls,
      ]);
    }
  }
  await close(1000);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
printTable(rows);
