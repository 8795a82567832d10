// Fills a data folder with objects of mixed sizes, in this process and without a server: what a
// bench of backups, or whoever tries one by hand, begins with.
import { openNodePorts } from '../../src/adapters/node/node-ports.ts';
import { parseConfig } from '../../src/config.ts';
import { createBucket } from '../../src/core/buckets/create-bucket.ts';
import type { Core } from '../../src/core/core.ts';
import { putObject } from '../../src/core/objects/put-object.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName, parseObjectKey } from '../../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';

const KiB = 1024;
/** Objects of each hundred that stand in the index; the others are blobs. */
const SIZES = [
  { share: 40, sizeBytes: KiB },
  { share: 50, sizeBytes: 24 * KiB },
  { share: 9, sizeBytes: 100 * KiB },
  { share: 1, sizeBytes: 1024 * KiB },
] as const;
const PARALLEL = 64;
const KEYS = {
  QUAYSIDE_ROOT_ACCESS_KEY: 'bench-backup-key',
  QUAYSIDE_ROOT_SECRET_KEY: 'bench-backup-secret',
};
const log = { info: () => undefined, error: (event: string) => process.stderr.write(`${event}\n`) };

/** Bodies are random, so that no file system or disk makes them shorter; one for each size. */
const bodies = SIZES.map(({ sizeBytes }) => {
  const body = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 4)
    body.writeUInt32LE(Math.floor(Math.random() * 2 ** 32), at);
  return body;
});

/** Which body each of 100 objects in a row has. */
const bodyOfHundred = SIZES.flatMap(({ share }, size) => Array.from({ length: share }, () => size));

function bodyOf(at: number): Uint8Array {
  return bodies[bodyOfHundred[at % 100] ?? 0] ?? new Uint8Array();
}

/** Puts, or overwrites, objects number `first` to before `end` in the bucket `photos`. */
export async function fillFolder(dataDir: string, first: number, end: number): Promise<void> {
  const config = parseConfig({ QUAYSIDE_DATA_DIR: dataDir, ...KEYS });
  const { ports, close } = await openNodePorts(config, {
    dataDir,
    log,
    onCrash: () => process.exit(1),
  });
  const core: Core = { ports, settings: config };
  const name = parseBucketName('photos');
  if (first === 0) await createBucket(core, ROOT_ACCOUNT, name, PRIVATE_ACCESS);
  const bucket = await openBucket(core, name, () => undefined);
  let next = first;
  const work = async () => {
    for (let at = next++; at < end; at = next++) {
      const body = bodyOf(at);
      await putObject(core, bucket, {
        key: parseObjectKey(`album-${at % 100}/image-${String(at).padStart(7, '0')}.jpg`),
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
  await close(1000);
}

if (import.meta.main) {
  const [dataDir = '', objects = '100000'] = process.argv.slice(2);
  await fillFolder(dataDir, 0, Number(objects));
}
