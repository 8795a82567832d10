// Downloads that run while their link is revoked: cut where the owner wants that, else finished.
import type { IncomingMessage } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { requestOf } from '../kit/clients/transport.ts';
import { untilStatus, useShares } from '../kit/share-kit.ts';

/** More than the buffers of both ends and of everything between them. */
const SIZE = 40 * 1024 * 1024;
/** How long Cloudflare may remember a link. */
const CUT_MS = 5000;

type Download = {
  /** Bytes that the client has read. */
  readBytes(): number;
  /** Resolves when nothing more comes, with whether all had come. */
  readonly ended: Promise<boolean>;
  /** From then on it reads as fast as it can. */
  hurry(): void;
};

/** Begins a download that reads so many bytes, and then some now and then or none. */
async function begin(url: string, { bytesAtOnce }: { bytesAtOnce: number }): Promise<Download> {
  const call = requestOf(url)(url, { agent: false });
  call.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve).on('error', reject);
  });
  expect(response.statusCode).toBe(200);
  let readBytes = 0;
  let isOver = false;
  const take = () => {
    for (let left = bytesAtOnce; left > 0; ) {
      const chunk = response.read() as Buffer | null;
      if (chunk === null) return;
      readBytes += chunk.length;
      left -= chunk.length;
    }
  };
  response.pause();
  const timer = setInterval(take, 25);
  const ended = new Promise<boolean>((resolve) => {
    const end = () => {
      clearInterval(timer);
      if (!isOver) resolve(readBytes === SIZE);
      isOver = true;
    };
    response.on('error', end).on('close', end).on('end', end);
  });
  const hurry = () => {
    clearInterval(timer);
    response.on('data', (chunk: Buffer) => {
      readBytes += chunk.length;
    });
    response.resume();
  };
  return { readBytes: () => readBytes, ended, hurry };
}

describeCore('a download under way when its link is revoked', () => {
  const bucket = useBucket(client);
  const shares = useShares(bucket);

  beforeAll(async () => {
    const body = Buffer.alloc(SIZE, 'quayside');
    expect((await client.send({ method: 'PUT', bucket, key: 'large', body })).status).toBe(200);
  });

  const cuts = { cutsRunning: true };
  /** Some bytes at a time: without a cut it would take thrice the bound. */
  const slowly = async (url: string) => {
    const download = await begin(url, { bytesAtOnce: 128 * 1024 });
    await expect.poll(download.readBytes).toBeGreaterThan(200_000);
    return download;
  };

  it('is cut for a slow reader, whatever took the link from it', { timeout: 60_000 }, async () => {
    const plain = await shares.ofObject('large', cuts);
    const limited = await shares.ofObject('large', { ...cuts, limits: { downloads: 3 } });
    const ada = await shares.label(limited.id, 'Ada');
    const gone = await shares.ofObject('large', cuts);
    const { api, pathOf } = shares;
    const labelPath = `${pathOf(limited.id)}/labels/${ada.id}`;
    const ofBob = await begin(limited.url, { bytesAtOnce: 0 });
    await untilStatus(ada.url, 206, { range: 'bytes=0-0' });
    const cases = [
      [plain.url, () => shares.revoke(plain.id)],
      [ada.url, () => api().call('PATCH', labelPath, { isRevoked: true })],
      [gone.url, () => api().call('DELETE', pathOf(gone.id))],
    ] as const;
    const times = cases.map(async ([url, revoke]) => {
      const download = await slowly(url);
      await revoke();
      const sinceMs = performance.now();
      expect(await download.ended).toBe(false);
      return performance.now() - sinceMs;
    });
    for (const ms of await Promise.all(times)) expect(ms).toBeLessThan(CUT_MS);
    // Another recipient's goes on.
    ofBob.hurry();
    expect(await ofBob.ended).toBe(true);
  });

  it('gives a reader that took nothing what is on its way, and no more', async () => {
    const { id, url } = await shares.ofObject('large', cuts);
    const download = await begin(url, { bytesAtOnce: 0 });
    await shares.revoke(id);
    expect((await untilStatus(url, 410)).status).toBe(410);
    download.hurry();
    expect(await download.ended).toBe(false);
    expect(download.readBytes()).toBeLessThan(SIZE / 2);
  });

  it('is finished where its owner lets it', async () => {
    const { id, url } = await shares.ofObject('large');
    const download = await begin(url, { bytesAtOnce: 0 });
    await shares.revoke(id);
    expect((await untilStatus(url, 410)).status).toBe(410);
    download.hurry();
    expect(await download.ended).toBe(true);
  });
});
