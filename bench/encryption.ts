// What does encryption at rest cost? CPU of each step, and of whole writes and reads through core
// on the Node platform's own ports, plain beside encrypted. CPU time, not wall time: the disk is
// the same for both.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNodePorts } from '../src/adapters/node/node-ports.ts';
import { parseConfig } from '../src/config.ts';
import { createBucket } from '../src/core/buckets/create-bucket.ts';
import type { Core } from '../src/core/core.ts';
import type { RequestedEncryption } from '../src/core/encryption/envelope.ts';
import { NO_EXPECTATION } from '../src/core/objects/body-expectation.ts';
import { putObject } from '../src/core/objects/put-object.ts';
import { openBody } from '../src/core/objects/read-object.ts';
import { openBucket } from '../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName, parseObjectKey } from '../src/core/parse-names.ts';
import {
  CHUNK_BYTES,
  decryptChunk,
  startChunkEncryption,
  TAG_BYTES,
} from '../src/crypto/encrypted-chunks.ts';
import { deriveKey, randomKey, unwrapKey, wrapKey } from '../src/crypto/key-wrap.ts';
import { PRIVATE_ACCESS } from '../src/domain/bucket-access.ts';
import { ROOT_ACCOUNT } from '../src/domain/root-account.ts';
import type { ByteSource } from '../src/ports/byte-source.ts';
import { median, printTable } from './lib/table.ts';

const ROUNDS = 5;
const SOCKET_READ_BYTES = 64 * 1024;

/** CPU microseconds of one run of `work`, the median of some rounds. */
async function cpuOf(times: number, work: () => unknown): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) await work();
    const { user, system } = process.cpuUsage(before);
    // The first round only warms up.
    if (round > 0) rounds.push((user + system) / times);
  }
  return median(rounds);
}

async function steps(): Promise<void> {
  const [wrapping, key] = [randomKey(), randomKey()];
  const plain = new Uint8Array(CHUNK_BYTES).fill(7);
  const place = { index: 1, isLast: false };
  const encrypt = () => {
    const chunk = startChunkEncryption([key], place);
    const encrypted = new Uint8Array(CHUNK_BYTES + TAG_BYTES);
    encrypted.set(chunk.update(plain));
    encrypted.set(chunk.finish(), CHUNK_BYTES);
    return encrypted;
  };
  const encrypted = encrypt();
  const wrapped = wrapKey(wrapping, key, '');
  const rows: [string, number, () => unknown][] = [
    ['derive a key', 10_000, () => deriveKey(key, 'quayside body 1 inner')],
    ['wrap a key', 5000, () => wrapKey(wrapping, key, '')],
    ['unwrap it', 5000, () => unwrapKey(wrapping, wrapped, '')],
    ['encrypt 64 KiB', 2000, encrypt],
    ['open 64 KiB', 2000, () => decryptChunk([key], place, encrypted)],
    ['MD5 of 64 KiB, to compare', 2000, () => createHash('md5').update(plain).digest('hex')],
  ];
  const table: (string | number)[][] = [['step', 'CPU µs']];
  for (const [name, times, work] of rows) table.push([name, (await cpuOf(times, work)).toFixed(1)]);
  printTable(table);
}

function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    lengthBytes: bytes.length,
    async pump(onChunk) {
      for (let at = 0; at < bytes.length; at += SOCKET_READ_BYTES) {
        await onChunk(bytes.subarray(at, at + SOCKET_READ_BYTES));
      }
    },
  };
}

async function writesAndReads(core: Core): Promise<void> {
  const name = parseBucketName('bench');
  await createBucket(core, ROOT_ACCOUNT, name, PRIVATE_ACCESS);
  const bucket = await openBucket(core, name, () => undefined);
  const named = { kind: 'named', keyId: null, isBucketKey: false, context: null } as const;
  const requests: [string, RequestedEncryption | null][] = [
    ['none', null],
    ['SSE-S3', { kind: 'server' }],
    ['SSE-KMS', { ...named, isDoubled: false }],
    ['DSSE-KMS', { ...named, isDoubled: true }],
  ];
  const table: (string | number)[][] = [['body', 'encryption', 'write, CPU µs', 'read, CPU µs']];
  for (const [label, sizeBytes, times] of [
    ['1 KiB', 1024, 300],
    ['16 MiB', 16 * 1024 * 1024, 3],
  ] as const) {
    const bytes = new Uint8Array(sizeBytes).fill(7);
    for (const [kind, encryption] of requests) {
      const put = () =>
        putObject(core, bucket, {
          key: parseObjectKey('k'),
          attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
          body: sourceOf(bytes),
          expectation: NO_EXPECTATION,
          condition: null,
          encryption,
        });
      const version = await put();
      const read = async () => {
        const { body } = await openBody(core, version, { offsetBytes: 0, lengthBytes: sizeBytes });
        if (body instanceof ReadableStream) for await (const _ of body);
      };
      table.push([
        label,
        kind,
        (await cpuOf(times, put)).toFixed(0),
        (await cpuOf(times, read)).toFixed(0),
      ]);
    }
  }
  printTable(table);
}

await steps();
process.stdout.write('\n');
const dataDir = mkdtempSync(join(tmpdir(), 'quayside-bench-'));
const config = parseConfig({ QUAYSIDE_MASTER_KEY: randomKey().toHex() });
const log = { info: () => {}, error: () => {} };
const { ports, close } = await openNodePorts(config, {
  dataDir,
  log,
  onCrash: () => process.exit(1),
});
try {
  await writesAndReads({ ports, settings: config });
} finally {
  await close(1000);
  rmSync(dataDir, { recursive: true, force: true });
}
