// The scrub on the Node platform: finds what is hurt, by name, goes on where it was stopped, and
// keeps to its pace.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { blobPath } from '../../../src/adapters/node/blobs/blob-path.ts';
import { type NodePorts, openNodePorts } from '../../../src/adapters/node/node-ports.ts';
import { createPace, type Pace, pacedBlobs } from '../../../src/adapters/node/scrub/pace.ts';
import { createScrub } from '../../../src/adapters/node/scrub/scrub.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { parseConfig } from '../../../src/config.ts';
import type { Core } from '../../../src/core/core.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { createOperatorWork } from '../../../src/core/operator/operator-work.ts';
import { listDeliveries } from '../../../src/core/outbox/deliveries.ts';
import { createWebhook } from '../../../src/core/outbox/webhooks.ts';
import type { ObjectVersion } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import type { HurtReport, OperatorWork } from '../../../src/ports/operator-work.ts';
import { key, openTestBucket, putBytes, sampleBytes } from '../../core/memory-core.ts';
import { putPart, startUpload } from '../../core/multipart-kit.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const FAST = 10_000_000_000;
let platform: NodePorts | null = null;
afterEach(async () => {
  await platform?.close(1000);
  platform = null;
});

async function openStore() {
  const dataDir = temporaryFolder();
  const config = parseConfig({
    QUAYSIDE_WEBHOOK_PRIVATE_TARGETS: 'on',
    QUAYSIDE_MASTER_KEY: 'ab'.repeat(32),
  });
  const log = createConsoleLog(systemClock, 'off');
  platform = await openNodePorts(config, {
    dataDir,
    log,
    onCrash: (error) => expect.unreachable(String(error)),
  });
  const core: Core = { ports: platform.ports, settings: config };
  const bucket = await openTestBucket(core);
  const work = createOperatorWork(core);
  const hurt: HurtReport[] = [];
  const noted: OperatorWork = {
    ...work,
    async objectHurt(report) {
      hurt.push(report);
      await work.objectHurt(report);
    },
  };
  return { dataDir, core, bucket, hurt, work: noted };
}

const putMany = (core: Core, bucket: BucketHandle, names: readonly string[]) =>
  Promise.all(names.map((name) => putBytes(core, bucket, name, sampleBytes(20_000, name.length))));

const fileOf = (dataDir: string, { segments }: Pick<ObjectVersion, 'segments'>) => {
  const [segment] = segments;
  if (segment === undefined) throw new Error('It has no blob.');
  return blobPath(join(dataDir, 'blobs'), segment.blobId).file;
};

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

describe('the scrub', () => {
  it('proves what is whole, and names what is hurt to the operator', async () => {
    const { dataDir, core, bucket, hurt, work } = await openStore();
    const { webhook } = await createWebhook(core, ROOT_ACCOUNT.id, {
      url: 'http://127.0.0.1:9/',
      description: '',
      types: ['object.*'],
      isEnabled: true,
    });
    await putBytes(core, bucket, 'inline', sampleBytes(100));
    await putBytes(core, bucket, 'encrypted', sampleBytes(50_000), {
      encryption: { kind: 'server' },
    });
    const [, lost, flipped] = await putMany(core, bucket, ['whole', 'lost', 'flipped', 'gone']);
    if (lost === undefined || flipped === undefined) throw new Error('They were not stored.');
    const upload = await startUpload(core, bucket, 'upload');
    await putPart(core, bucket, upload, 7, sampleBytes(30_000));
    rmSync(fileOf(dataDir, lost));
    flipByte(fileOf(dataDir, flipped));

    const scrub = createScrub(dataDir, FAST, systemClock);
    await scrub.run(work, new AbortController().signal);
    expect(hurt).toEqual([
      {
        bucket: 'test-bucket',
        key: 'flipped',
        versionId: 'null',
        kind: 'damaged',
        detail: expect.any(String),
      },
      {
        bucket: 'test-bucket',
        key: 'lost',
        versionId: 'null',
        kind: 'missing',
        detail: expect.any(String),
      },
    ]);
    const [bodies] = scrub.families();
    expect(bodies?.samples.map(({ labels, value }) => [labels.result, value])).toEqual([
      ['proved', 5],
      ['unproved', 0],
      ['hurt', 2],
    ]);
    const page = { of: null, state: 'waiting', before: null, limit: 10 } as const;
    const { deliveries } = await listDeliveries(core, ROOT_ACCOUNT.id, webhook.id, page);
    expect(deliveries.map(({ type }) => type)).toEqual(['object.hurt', 'object.hurt']);
  });

  it('goes on behind the last body that it proved, and begins anew a day later', async () => {
    const { dataDir, core, bucket, work } = await openStore();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await putMany(core, bucket, names);
    let nowMs = systemClock.nowMs();
    let proofs = 0;
    const run = async (stopAfter: number) => {
      const stopping = new AbortController();
      const scrub = createScrub(dataDir, FAST, { nowMs: () => nowMs });
      const proveBody: OperatorWork['proveBody'] = async (...asked) => {
        const proof = await work.proveBody(...asked);
        proofs += 1;
        if (proofs === stopAfter) stopping.abort();
        return proof;
      };
      await scrub.run({ ...work, proveBody }, stopping.signal);
    };
    await run(3);
    expect(proofs).toBe(3);
    await run(0);
    // The third was cut short, and is proved again.
    expect(proofs).toBe(6);
    await run(0);
    expect(proofs).toBe(6);
    nowMs += DAY_MS;
    await run(0);
    expect(proofs).toBe(11);
  });

  it('reports nothing that was cut short, or deleted meanwhile', async () => {
    const { dataDir, core, bucket, hurt, work } = await openStore();
    const [version] = await putMany(core, bucket, ['a']);
    if (version === undefined) throw new Error('It was not stored.');
    const stopping = new AbortController();
    const cut: OperatorWork['proveBody'] = async () => {
      stopping.abort();
      return { detail: 'cut short' };
    };
    await createScrub(dataDir, FAST, systemClock).run({ ...work, proveBody: cut }, stopping.signal);
    const overtaken: OperatorWork['proveBody'] = async () => {
      await deleteObjects(core, bucket, [{ key: key('a') }]);
      return { detail: 'gone' };
    };
    await createScrub(dataDir, FAST, systemClock).run(
      { ...work, proveBody: overtaken },
      new AbortController().signal,
    );
    expect(hurt).toEqual([]);
  });

  it('fails with what keeps it from proving, and goes on there', async () => {
    const { dataDir, core, bucket, work } = await openStore();
    await putMany(core, bucket, ['a', 'b', 'c']);
    let proofs = 0;
    const failing: OperatorWork['proveBody'] = async () => {
      proofs += 1;
      if (proofs === 2) throw new Error('no key');
      return 'unproved';
    };
    const scrub = createScrub(dataDir, FAST, systemClock);
    const run = () => scrub.run({ ...work, proveBody: failing }, new AbortController().signal);
    await expect(run()).rejects.toThrow('no key');
    await run();
    expect(proofs).toBe(4);
    const values = scrub.families().map(({ samples }) => samples.map(({ value }) => value));
    expect(values).toEqual([[0, 3, 0], [60_000], [1]]);
  });

  it('keeps streams to its pace too, and hands on all of their bytes', async () => {
    const spent: number[] = [];
    const pace: Pace = {
      spend: async (lengthBytes) => void spent.push(lengthBytes),
      throwIfStopped: () => undefined,
    };
    const streamOf = async () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const length of [3, 4]) controller.enqueue(new Uint8Array(length));
          controller.close();
        },
      });
    const read = async () => new Uint8Array(5);
    const store = { open: streamOf, openRuns: streamOf, read } as unknown as BlobStore;
    const paced = pacedBlobs(store, pace);
    const range = { offsetBytes: 0, lengthBytes: 5 };
    for (const open of [() => paced.open('id' as never, range), () => paced.openRuns([])]) {
      spent.length = 0;
      expect((await new Response(await open()).arrayBuffer()).byteLength).toBe(7);
      expect(spent).toEqual([3, 4]);
    }
    spent.length = 0;
    expect((await paced.read('id' as never, range)).length).toBe(5);
    expect(spent).toEqual([5]);
  });

  it('does nothing where it is off', async () => {
    const dataDir = temporaryFolder();
    const work = { objectHurt: async () => undefined, proveBody: async () => 'proved' as const };
    await createScrub(dataDir, 0, systemClock).run(work, new AbortController().signal);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('lets requests through while it works, also at a rate that it never reaches', async () => {
    const pace = createPace(Number.MAX_SAFE_INTEGER, new AbortController().signal);
    let requests = 0;
    const request = () => {
      requests += 1;
      newReference = setImmediate(request);
    };
    let newReference = setImmediate(request);
    for (const endsAt = performance.now() + 60; performance.now() < endsAt; )
      await pace.spend(4096);
    clearImmediate(newReference);
    expect(requests).toBeGreaterThan(0);
  });

  it('reads no faster than it may, and stops while it waits', async () => {
    const stopping = new AbortController();
    const pace = createPace(1_000_000, stopping.signal);
    const startedAt = performance.now();
    for (let piece = 0; piece < 5; piece++) await pace.spend(20_000);
    expect(performance.now() - startedAt).toBeGreaterThan(70);
    await pace.spend(100_000_000);
    const waiting = pace.spend(1);
    stopping.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});
