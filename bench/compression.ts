// What does compression at rest save and cost, and what do readers of compressed bodies pay? CPU
// time of a body of each kind in frames of three sizes, then of reads through the Node platform's
// own stores, plain beside compressed.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFsBlobStore } from '../src/adapters/node/blobs/fs-blob-store.ts';
import { createDecompressingBlobStore } from '../src/adapters/shared/decompressing-blob-store.ts';
import { compressSource } from '../src/core/compression/compress-source.ts';
import { COMPRESSION_LEVEL } from '../src/crypto/zstd-frames.ts';
import type { BlobId } from '../src/domain/nouns.ts';
import type { BlobIdentity, BlobRange, BlobStore } from '../src/ports/blob-store.ts';
import type { ByteSource } from '../src/ports/byte-source.ts';
import { median, printTable } from './lib/table.ts';

const MiB = 1024 * 1024;
const BODY_BYTES = 16 * MiB;
const ROUNDS = 5;
const FRAMES_KIB = [128, 256, 1024];

function repeated(make: (at: number) => string): Uint8Array {
  const parts: string[] = [];
  let length = 0;
  for (let at = 0; length < BODY_BYTES; at++) {
    const part = make(at);
    parts.push(part);
    length += part.length;
  }
  return new TextEncoder().encode(parts.join('')).subarray(0, BODY_BYTES);
}

/** Numbers that look random, the same in each run. */
const noise = (at: number): number => (Math.imul(at + 1, 2_654_435_761) >>> 7) % 1_000_003;

/** All TypeScript of the program, which is not as long as the others. */
function sources(): Uint8Array {
  const folder = fileURLToPath(new URL('../src/', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return Buffer.concat(files.sort().map((name) => readFileSync(join(folder, name))));
}

const BODIES: readonly (readonly [string, Uint8Array])[] = [
  ['TypeScript', sources()],
  [
    'access log',
    repeated((at) => {
      const [a, b] = [noise(at), noise(at * 7)];
      return (
        `10.${a % 256}.${b % 256}.7 - - [21/Nov/2026:08:${(at >> 6) % 60}:${at % 60} +0000] ` +
        `"GET /photos/${a}/${b}.jpg HTTP/1.1" 200 ${a * 3}\n`
      );
    }),
  ],
  [
    'JSON lines',
    repeated((at) => {
      const name = `item ${noise(at * 3)}`;
      const price = noise(at * 5) / 100;
      return `${JSON.stringify({ id: at, user: noise(at), name, price, tags: ['a', 'b'] })}\n`;
    }),
  ],
  [
    'CSV of numbers',
    repeated((at) => `${at},${noise(at)},${noise(at * 11) / 1000},${noise(at * 13)}\n`),
  ],
];

function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    lengthBytes: bytes.length,
    async pump(onChunk) {
      for (let at = 0; at < bytes.length; at += 512 * 1024)
        await onChunk(bytes.subarray(at, at + 512 * 1024));
    },
  };
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function packing(): Promise<void> {
  const rows: (string | number)[][] = [
    ['body', 'frame, KiB', 'left, %', 'packing, ms of CPU for a MB'],
  ];
  for (const [name, bytes] of BODIES) {
    for (const frame of FRAMES_KIB) {
      const costs: number[] = [];
      let stored = 0;
      for (let round = 0; round < 3; round++) {
        stored = 0;
        const source = compressSource(
          sourceOf(bytes),
          { frameBytes: frame * 1024, level: COMPRESSION_LEVEL },
          () => {},
        );
        const cost = await cpuMs(() =>
          source.pump((chunk) => {
            stored += chunk.length;
          }),
        );
        costs.push(cost / (bytes.length / 1e6));
      }
      rows.push([
        name,
        frame,
        ((stored / bytes.length) * 100).toFixed(1),
        Math.min(...costs).toFixed(1),
      ]);
    }
  }
  printTable(rows);
}

const identity = {
  bucket: 'b',
  key: 'k',
  headers: {},
  userMetadata: {},
  part: null,
  encryption: null,
};

async function readAll(store: BlobStore, id: BlobId, range: BlobRange): Promise<void> {
  const reader = (await store.open(id, range)).getReader();
  while (!(await reader.read()).done);
}

async function reading(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quayside-packing-'));
  const files = createFsBlobStore(folder);
  try {
    const [, [, bytes] = ['', new Uint8Array()]] = BODIES;
    const rows: (string | number)[][] = [
      ['read', 'plain, µs of CPU', 'frame, KiB', 'compressed, µs of CPU', 'against plain'],
    ];
    const ids = {
      plain: 'b~1/01k9000000000000000000000a' as BlobId,
      compressed: 'b~1/01k9000000000000000000000b' as BlobId,
    };
    await files.write(ids.plain, sourceOf(bytes), identity as unknown as BlobIdentity);
    const whole = { offsetBytes: 0, lengthBytes: bytes.length };
    const places = Array.from({ length: 100 }, (_, at) => (noise(at) * 997) % (bytes.length - MiB));
    const small = (at: number) => ({
      offsetBytes: places[at % places.length] ?? 0,
      lengthBytes: 64 * 1024,
    });
    const slice = (at: number) => ({ offsetBytes: (at % 15) * MiB, lengthBytes: MiB });
    const costOf = async (times: number, read: (at: number) => Promise<unknown>) => {
      const rounds: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const cost = await cpuMs(async () => {
          for (let at = 0; at < times; at++) await read(at);
        });
        if (round > 0) rounds.push((cost * 1000) / times);
      }
      return median(rounds);
    };
    for (const frame of FRAMES_KIB) {
      const frameBytes = frame * 1024;
      await files.delete([ids.compressed]);
      const source = compressSource(
        sourceOf(bytes),
        { frameBytes, level: COMPRESSION_LEVEL },
        () => {},
      );
      const { sizeBytes } = await files.write(
        ids.compressed,
        source,
        identity as unknown as BlobIdentity,
      );
      const packing = { frameBytes, plainBytes: bytes.length, storedBytes: sizeBytes };
      for (const [name, times, rangeOf] of [
        ['64 KiB anywhere', 100, small],
        ['a slice of 1 MiB', 15, slice],
        ['16 MiB as a stream', 1, () => whole],
      ] as const) {
        // A store anew for each: what it knows of another packing of that blob would be wrong.
        const fresh = createDecompressingBlobStore(files);
        const plain = await costOf(times, (at) => readAll(files, ids.plain, rangeOf(at)));
        const compressed = await costOf(times, (at) =>
          readAll(fresh, ids.compressed, { ...rangeOf(at), packing }),
        );
        rows.push([
          name,
          plain.toFixed(0),
          frame,
          compressed.toFixed(0),
          `× ${(compressed / plain).toFixed(1)}`,
        ]);
      }
    }
    printTable(rows);
  } finally {
    files.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await packing();
process.stdout.write('\n');
await reading();
