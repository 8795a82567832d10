// The scheduled work on every bucket: hours of storage go to the ledger, room is given back, stale
// uploads are given up, lifecycle rules are carried out. Both homes call it by their clock;
// whatever is left undone waits for the next time.

import type { LifecycleCounts } from '../../domain/lifecycle.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { openBucket } from '../buckets/bucket-handle.ts';
import { LARGE_COMPRESSION_BUDGET } from '../compression/compression-budgets.ts';
import { type CompressionBudget, runCompression } from '../compression/run-compression.ts';
import type { Core } from '../core.ts';
import { maintainSearchIndex } from '../key-jobs/search-keys.ts';
import { resumeKeyJobs } from '../key-jobs/start-key-job.ts';
import { addCounts, NO_COUNTS, type PageBudget, runLifecycle } from '../lifecycle/run-lifecycle.ts';
import { collectStorage } from '../metering/collect-storage.ts';
import { abortStaleUploads } from '../multipart/abort-stale-uploads.ts';
import { type SweepResult, sweepBucket } from './sweep-bucket.ts';

/** Bucket names read per call. */
const PAGE = 500;

export type SweepOptions = {
  /**
   * Pages of lifecycle runs in this sweep, of some 2,000 rows; a run that needs more goes on in the
   * next one. 10,000.
   */
  readonly lifecyclePages?: number;
  /** What packing may do in this sweep; the rest waits for the next one. LARGE_COMPRESSION_BUDGET. */
  readonly packing?: Omit<CompressionBudget, 'stopping'>;
  /** Once it is aborted the sweep ends behind the bucket, or the page of a run, that it is at. */
  readonly stopping?: AbortSignal;
};

const LIFECYCLE_PAGES = 10_000;

/**
 * Sweeps every bucket, one after the other. A bucket whose sweep fails is logged and left to the
 * next sweep.
 */
export async function sweep(core: Core, options: SweepOptions = {}): Promise<SweepResult> {
  const { result } = await sweepBuckets(
    core,
    { after: '', bucketsMax: Number.POSITIVE_INFINITY },
    options,
  );
  return result;
}

/**
 * Some of the buckets: so many behind a name, in byte order. `onSwept` hears of each once it is
 * through.
 */
export type SweepBatch = {
  readonly after: string;
  readonly bucketsMax: number;
  readonly onSwept?: (name: BucketName) => Promise<unknown>;
};

/**
 * Sweeps these. `isAll`: it came to the end of all buckets. Rejects when the directory fails, or
 * `onSwept` does.
 */
export async function sweepBuckets(
  core: Core,
  { after: start, bucketsMax, onSwept = async () => {} }: SweepBatch,
  options: SweepOptions,
): Promise<{ readonly result: SweepResult; readonly isAll: boolean }> {
  const { directory, log } = core.ports;
  const { lifecyclePages = LIFECYCLE_PAGES, stopping = null } = options;
  const total: Total = {
    deletedBlobs: 0,
    releasedReferences: 0,
    counts: NO_COUNTS,
    compressible: [],
  };
  const budget: PageBudget = { pages: lifecyclePages, stopping };
  const isStopping = () => stopping?.aborted === true;
  let isAll = false;
  for (let [after, left] = [start, bucketsMax]; left > 0 && !isAll && !isStopping(); ) {
    const limit = Math.min(PAGE, left);
    const names = await directory.call('listBucketNames', { after, limit });
    for (const name of names) {
      if (isStopping()) break;
      await sweepName(core, name, budget, total);
      await onSwept(name);
      after = name;
    }
    left -= names.length;
    isAll = names.length < limit && !isStopping();
  }
  // Last, for it takes longest.
  await pack(core, total.compressible, {
    ...(options.packing ?? LARGE_COMPRESSION_BUDGET),
    stopping,
  });
  const { deletedBlobs, releasedReferences, counts } = total;
  if (deletedBlobs + releasedReferences > 0)
    log.info('swept', { deletedBlobs, releasedReferences });
  if (Object.values(counts).some((count) => count > 0)) log.info('lifecycle', counts);
  return { result: { deletedBlobs, releasedReferences }, isAll };
}

/** What a sweep did, and the buckets that want to be packed. */
type Total = {
  deletedBlobs: number;
  releasedReferences: number;
  counts: LifecycleCounts;
  readonly compressible: BucketName[];
};

/**
 * All work on one bucket name but packing. What fails of it does not keep the rest from its turn.
 */
async function sweepName(
  core: Core,
  name: BucketName,
  budget: PageBudget,
  total: Total,
): Promise<void> {
  await attempt(core, name, () => collectStorage(core, name));
  const living = await attempt(core, name, async () => {
    const lives = await core.ports.metadataIndex.call(name, 'listIncarnations', { name });
    const swept = await sweepBucket(core, name, lives);
    total.deletedBlobs += swept.deletedBlobs;
    total.releasedReferences += swept.releasedReferences;
    return lives.find((life) => !life.isDeleted) ?? null;
  });
  if (living === null) return;
  const { bucket, searchedAtMs, idleUploadMs } = living;
  if (living.hasNameJobs) {
    await attempt(core, name, async () =>
      resumeKeyJobs(core, await openBucket(core, name, () => undefined)),
    );
  }
  if (searchedAtMs !== null) {
    await attempt(core, name, () =>
      maintainSearchIndex(core, bucket, searchedAtMs, budget.stopping),
    );
  }
  if (idleUploadMs !== null) {
    await attempt(core, name, () => abortStaleUploads(core, name, { idleUploadMs, budget }));
  }
  if (living.hasLifecycle) {
    await attempt(core, name, async () => {
      total.counts = addCounts(total.counts, await runLifecycle(core, name, budget));
    });
  }
  if (living.hasCompression) total.compressible.push(name);
}

/**
 * Each sweep begins with another bucket, so that a large one does not keep the others from their
 * turn.
 */
async function pack(
  core: Core,
  names: readonly BucketName[],
  budget: CompressionBudget,
): Promise<void> {
  const first =
    names.length === 0 ? 0 : Math.floor(core.ports.clock.nowMs() / HOUR_MS) % names.length;
  for (const name of [...names.slice(first), ...names.slice(0, first)]) {
    await attempt(core, name, () => runCompression(core, name, budget));
  }
}

/** What the work gives, or null when it failed, which is logged. */
async function attempt<Result>(
  core: Core,
  bucket: BucketName,
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (cause) {
    core.ports.log.error('sweep-failed', { bucket, cause });
    return null;
  }
}
