// A bucket with compression, anew for each test, and its operations and observations.
import { beforeEach, expect } from 'vitest';
import {
  type CompressionBudget,
  runCompression,
} from '../../../src/core/compression/run-compression.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import type { ObjectVersion, Segment } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { isSameBytes } from '../../contract/bodies.ts';
import { logBytes } from '../../contract/index/compressed-blobs.contract.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  withPorts,
} from '../memory-core.ts';

export const DAY = 24 * 3600;
export const LOG = logBytes(300_000);
/** A part of the least size. */
export const MANY = logBytes(5 * 1024 * 1024);

export const compressionOf = ({ segments }: { readonly segments: readonly Segment[] }) =>
  segments[0]?.packing;
type SegmentCompression = NonNullable<ReturnType<typeof compressionOf>>;
export const spared = ({ plainBytes, storedBytes }: SegmentCompression) => plainBytes - storedBytes;

/** Makes core and bucket before each test of the file. */
export function useCompression() {
  let core: MemoryCore;
  let bucket: BucketHandle;
  beforeEach(async () => {
    core = createMemoryCore();
    bucket = await openTestBucket(core);
  });

  /** Looks at the bucket's record anew. */
  const reopen = async () => {
    bucket = await openBucket(core, bucket.record().name, () => undefined);
  };
  const compress = (afterDays: number | null) =>
    setBucketSettings(core, bucket, {
      compression: afterDays === null ? null : { afterDays, setAtMs: core.ports.clock.nowMs() },
    });
  const put = (name: string, bytes = LOG, contentType = 'text/plain', into = bucket) =>
    putBytes(core, into, name, bytes, { attributes: { ...ATTRIBUTES, headers: { contentType } } });
  const budgetOf = (changes: Partial<CompressionBudget> = {}): CompressionBudget => ({
    bytes: 2 ** 40,
    bodies: 1000,
    bodyMaxBytes: 2 ** 40,
    frameBytes: 2 ** 18,
    stopping: null,
    ...changes,
  });
  const run = (on = core, changes: Partial<CompressionBudget> = {}) =>
    runCompression(on, bucket.record().name, budgetOf(changes));
  async function get(
    name: string,
    versionId: ObjectVersion['versionId'] | null = null,
    from = bucket,
  ) {
    const found = await from.call('getVersion', { key: key(name), versionId });
    if (found?.kind !== 'object') throw new Error(`no ${name}`);
    return found.object;
  }
  const isCompressed = async (name: string) => compressionOf(await get(name)) !== undefined;
  const saved = async () =>
    (await bucket.call('getStorageTotals', {})).reduce(
      (sum, { compressedBytes }) => sum + compressedBytes,
      0,
    );
  async function expectBody(version: ObjectVersion, bytes = LOG) {
    expect(isSameBytes(await readWhole(core, version), bytes)).toBe(true);
  }
  /** Makes a core in which something else happens once before a call of the index. */
  function meanwhile(method: string, happening: () => Promise<unknown>): MemoryCore {
    let isOver = false;
    const metadataIndex: MetadataIndex = {
      async call(name, called, input) {
        if (called === method && !isOver) {
          isOver = true;
          await happening();
        }
        return core.ports.metadataIndex.call(name, called, input);
      },
    };
    return withPorts(core, { metadataIndex });
  }
  return {
    core: () => core,
    bucket: () => bucket,
    reopen,
    compress,
    put,
    run,
    get,
    isCompressed,
    saved,
    expectBody,
    meanwhile,
  };
}
