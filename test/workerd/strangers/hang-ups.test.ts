// What is counted of a large body when its reader hangs up: what left, not the whole object.
import { exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { toWorkerResponse } from '../../../src/adapters/cloudflare/requests/worker-response.ts';
import { isSameBytes, patternBytes } from '../../contract/bodies.ts';
import { createIsolate, type Isolate } from '../kit/isolate.ts';
import { makePublicBucket } from '../kit/public-bucket.ts';
import { createWorkersCache } from '../kit/workers-cache.ts';

const MiB = 1024 * 1024;

/** Bytes out that the isolate has counted. */
const countedBytes = ({ core }: Isolate): number =>
  Object.values(core.ports.meter.totals().bytesOut).reduce((sum, bytes) => sum + bytes, 0);

describe.each([
  ['one blob', [20 * MiB], false],
  ['several blobs', [10 * MiB, 10 * MiB], false],
  ['one run of Workers Cache', [8 * MiB], true],
  ['several runs', [3 * MiB, 5 * MiB], true],
] as const)('a large object of %s', (_what, sizes, isCached) => {
  const sizeBytes = sizes.reduce((sum: number, size) => sum + size, 0);

  async function open() {
    const { put, url } = await makePublicBucket();
    const bodies = sizes.map((size) => patternBytes(size));
    await put('huge', ...bodies);
    const cached = isCached ? createWorkersCache(exports.BodySlices) : null;
    const isolate = createIsolate({ cached });
    const response = toWorkerResponse(await isolate.fetch(url('huge')));
    expect(response.headers.get('content-length')).toBe(`${sizeBytes}`);
    return { isolate, response, bytes: new Uint8Array(await new Blob(bodies).arrayBuffer()) };
  }

  it('is counted as far as it left', async () => {
    const { isolate, response, bytes } = await open();
    const reader = response.body?.getReader();
    let read = 0;
    while (read < 2 * MiB) {
      const { value } = (await reader?.read()) ?? {};
      expect(
        isSameBytes(value as Uint8Array, bytes.subarray(read, read + (value?.length ?? 0))),
      ).toBe(true);
      read += value?.length ?? 0;
    }
    await reader?.cancel();
    const counted = countedBytes(isolate);
    expect(counted).toBeGreaterThanOrEqual(read);
    expect(counted).toBeLessThanOrEqual(read + MiB);
  });

  it('is counted whole when it left', async () => {
    const { isolate, response, bytes } = await open();
    expect(isSameBytes(new Uint8Array(await response.arrayBuffer()), bytes)).toBe(true);
    expect(countedBytes(isolate)).toBe(sizeBytes);
  });
});
