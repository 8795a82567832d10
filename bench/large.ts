// Do large objects pass through without being held in memory? 1 GiB by multipart and 200 MB in a
// single PUT, up and down with a digest over every byte, on both platforms; on Node the memory of
// the server is sampled and has a limit.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { inParallel, removeBucket } from '../test/wire/kit/clients/bucket-work.ts';
import {
  createClient,
  freshBucketName,
  sampleBytes,
  type WireClient,
} from '../test/wire/kit/clients/client.ts';
import { onEachPlatform } from './lib/platforms.ts';
import { residentBytesOf } from './lib/process-cpu.ts';
import { printTable } from './lib/table.ts';

const MiB = 1024 * 1024;
const BUCKET = freshBucketName();
const PART_BYTES = 16 * MiB;
/** 1 GiB. */
const PART_COUNT = 64;
const PARTS_AT_ONCE = 4;
const SINGLE_PUT_BYTES = 200_000_000;
/** What the server on Node may hold at any time. Source: the issue. */
const RESIDENT_LIMIT_BYTES = 400_000_000;
const SAMPLE_EVERY_MS = 50;

/**
 * One pattern for all parts, changed at its start, so that every part differs and none has to be
 * kept.
 */
const pattern = sampleBytes(PART_BYTES, 7);

function partBytes(index: number): Buffer {
  const bytes = Buffer.from(pattern);
  bytes.writeUInt32BE(index, 0);
  return bytes;
}

/** The bytes of the single PUT, piece by piece. */
function* singleBody(): Generator<Buffer> {
  for (let sent = 0, index = 0; sent < SINGLE_PUT_BYTES; index++) {
    const piece = partBytes(index).subarray(0, Math.min(MiB, SINGLE_PUT_BYTES - sent));
    sent += piece.length;
    yield piece;
  }
}

function sha256Of(pieces: Iterable<Uint8Array>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

async function downloadSha256(client: WireClient, Key: string): Promise<string> {
  const { Body } = await client.s3.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
  const hash = createHash('sha256');
  for await (const chunk of Body as Readable) hash.update(chunk);
  return hash.digest('hex');
}

async function uploadMultipart(client: WireClient, Key: string): Promise<void> {
  const upload = { Bucket: BUCKET, Key };
  const { UploadId } = await client.s3.send(new CreateMultipartUploadCommand(upload));
  const indexes = Array.from({ length: PART_COUNT }, (_, index) => index);
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
  await inParallel(indexes, PARTS_AT_ONCE, async (index) => {
    const PartNumber = index + 1;
    const part = new UploadPartCommand({ ...upload, UploadId, PartNumber, Body: partBytes(index) });
    const { ETag } = await client.s3.send(part);
    Parts[index] = { PartNumber, ETag };
  });
  await client.s3.send(
    new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload: { Parts } }),
  );
}

/**
 * Samples the memory of the server until `stop`, which gives the most that was seen, bytes; 0 where
 * it can't be read.
 */
function watchMemory(pid: number | null): { stop(): number } {
  let most = 0;
  const sample = () => {
    if (process.platform === 'linux' && pid !== null) most = Math.max(most, residentBytesOf(pid));
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    stop() {
      sample();
      clearInterval(timer);
      return most;
    },
  };
}

const rows: (string | number)[][] = [
  ['platform', 'what', 'up MB/s', 'down MB/s', 'equal', 'server at most, MB'],
];
let failures = 0;

await onEachPlatform(async ({ target, pid }) => {
  const client = createClient(target);
  await client.s3.send(new CreateBucketCommand({ Bucket: BUCKET }));

  async function measure(
    what: string,
    sizeBytes: number,
    expected: string,
    upload: (key: string) => Promise<unknown>,
  ) {
    const memory = watchMemory(pid);
    const startedAtMs = performance.now();
    await upload(what);
    const upSeconds = (performance.now() - startedAtMs) / 1000;
    const isEqual = (await downloadSha256(client, what)) === expected;
    const downSeconds = (performance.now() - startedAtMs) / 1000 - upSeconds;
    const most = memory.stop();
    if (!isEqual || most > RESIDENT_LIMIT_BYTES) failures++;
    const speed = (seconds: number) => Math.round(sizeBytes / 1e6 / seconds);
    const shown = most > 0 ? Math.round(most / 1e6) : '-';
    rows.push([
      target.platform,
      what,
      speed(upSeconds),
      speed(downSeconds),
      isEqual ? 'yes' : 'NO',
      shown,
    ]);
  }

  const parts = Array.from({ length: PART_COUNT }, (_, index) => index);
  const multipartSha256 = sha256Of(parts.values().map(partBytes));
  await measure('1 GiB in 64 parts', PART_COUNT * PART_BYTES, multipartSha256, (key) =>
    uploadMultipart(client, key),
  );
  await measure('200 MB in one PUT', SINGLE_PUT_BYTES, sha256Of(singleBody()), (Key) => {
    const Body = Readable.from(singleBody(), { objectMode: false, highWaterMark: MiB });
    return client.s3.send(
      new PutObjectCommand({ Bucket: BUCKET, Key, Body, ContentLength: SINGLE_PUT_BYTES }),
    );
  });
  if (!target.isTemporary) await removeBucket(client, BUCKET);
});

printTable(rows);
process.exitCode = failures === 0 ? 0 : 1;
