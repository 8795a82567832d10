// What a ZIP of many small files asks of Cloudflare: calls of bindings, of which a request may make
// only so many.
import { AwsClient } from 'aws4fetch';
import { expect, it } from 'vitest';
import type { BlobId, BucketRecord, ObjectVersion } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import type { CopyToCommit } from '../../../src/ports/index-calls/key-job-calls.ts';
import { identityOf, patternBytes } from '../../contract/bodies.ts';
import { readZip } from '../../wire/kit/read-zip.ts';
import { bucketObject, freshBucketName, objectOf, PUBLIC, recordOf, refOf } from '../kit/bucket.ts';
import { createIsolate } from '../kit/isolate.ts';

const KEY = { id: 'zip-calls', secret: 'zip-calls-secret' };
const PACKS = 20;
const BODIES_PER_PACK = 1000;
const FILES = PACKS * BODIES_PER_PACK;
const SIZE = 200;

/** A bucket with an isolate before it. */
async function createWorld(filesMax: number) {
  const isolate = createIsolate({
    settings: {
      QUAYSIDE_ROOT_ACCESS_KEY: KEY.id,
      QUAYSIDE_ROOT_SECRET_KEY: KEY.secret,
      QUAYSIDE_ZIP_MAX_OBJECTS: `${filesMax}`,
    },
  });
  const name = freshBucketName();
  const record = { ...recordOf(name, PUBLIC), ownerId: ROOT_ACCOUNT.id };
  await bucketObject(name).call('createBucket', { bucket: record });
  const aws = new AwsClient({
    accessKeyId: KEY.id,
    secretAccessKey: KEY.secret,
    service: 's3',
    region: 'us-east-1',
  });
  const signed = async () => {
    const request = await aws.sign(`https://files.example/${name}?zip`);
    return { url: request.url, init: { headers: request.headers } };
  };
  return { isolate, record, signed };
}

/** A version of one byte range of a blob. */
function versionIn(blobId: BlobId, at: number, key: string): ObjectVersion {
  return {
    ...objectOf(key, `${at}`),
    sizeBytes: SIZE,
    inlineBytes: null,
    segments: [{ blobId, offsetBytes: at * SIZE, lengthBytes: SIZE }],
  };
}

/** The key of a body: those of one pack are spread over all of the listing. */
const keyOf = (pack: number, at: number) => `f/${(at * 7919 + pack * 104729) % 1_000_003}-${pack}`;

async function storePack(
  { isolate, record }: { isolate: ReturnType<typeof createIsolate>; record: BucketRecord },
  pack: number,
): Promise<void> {
  const blobId = `${record.id}/pack-${pack}` as BlobId;
  const bytes = patternBytes(BODIES_PER_PACK * SIZE, pack);
  await isolate.core.ports.blobStore.put(blobId, bytes, identityOf());
  const copies = Array.from({ length: BODIES_PER_PACK }, (_, at): CopyToCommit => {
    const object = versionIn(blobId, at, keyOf(pack, at));
    const reference = { blobId, sizeBytes: bytes.length, ownerBucket: null };
    return { object, toKeys: [object.key], mayReplace: false, newReferences: [reference] };
  });
  await bucketObject(record.name).call('commitCopies', { bucket: refOf(record), copies });
}

it('a ZIP of 20,000 files in packs reads each pack at once, and their rows in pages', {
  timeout: 120_000,
}, async () => {
  const world = await createWorld(FILES);
  for (let pack = 0; pack < PACKS; pack++) await storePack(world, pack);
  const { url, init } = await world.signed();
  const cost = await world.isolate.count(url, init);
  expect(cost.status).toBe(200);
  expect(cost.r2).toEqual({ get: PACKS });
  // The bucket; lists of 1,000; rows by 100.
  expect(cost.index.get).toBe(1 + FILES / 1000 + FILES / 100);
  // The record of the bucket, not a body.
  expect(cost.cache).toEqual({ match: 1, put: 1 });

  const again = await world.isolate.fetch(url, init);
  const files = new Map(
    readZip(Buffer.from(await again.arrayBuffer())).map(({ name, bytes }) => [name, bytes]),
  );
  expect(files.size).toBe(FILES);
  for (const [pack, at] of [
    [0, 0],
    [7, 500],
    [19, 999],
  ] as const) {
    const expected = patternBytes(BODIES_PER_PACK * SIZE, pack).subarray(
      at * SIZE,
      (at + 1) * SIZE,
    );
    expect(files.get(keyOf(pack, at)), `${pack} ${at}`).toEqual(Buffer.from(expected));
  }
});
