// The sweep, the scheduled work on every bucket. It brings storage hours to the
// ledger (on Node), deletes unreferenced blobs, aborts stale uploads, applies lifecycle rules
// and compresses cold bodies. Both platforms call it on a schedule
// (core/maintenance.ts); what is left undone waits for the next time.

import type { LifecycleCounts } from '../../domain/lifecycle.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { LARGE_COMPRESSION_BUDGET } from '../compression/compression-budgets.ts';
import { type CompressionBudget, runCompression } from '../compression/run-compression.ts';
import type { Core } from '../core.ts';
import { maintainSearchIndex } from '../key-jobs/search-keys.ts';
import { forgetUnusedLevels } from '../key-jobs/seek-folder.ts';
import { resumeKeyJobs } from '../key-jobs/start-key-job.ts';
import { addCounts, NO_COUNTS, type PageBudget, runLifecycle } from '../lifecycle/run-lifecycle.ts';
import { forgetDropRows } from '../links/drop/forget-drop-rows.ts';
import { collectStorage } from '../metering/collect-storage.ts';
import { abortStaleUploads } from '../multipart/abort-stale-uploads.ts';
import { openBucket } from '../opened-bucket/bucket-handle.ts';
import { writeDuePacks } from '../packs/write-pack.ts';
import { type RepackBudget, repackSparse } from './repack.ts';
import { type SweepResult, sweepBucket } from './sweep-bucket.ts';

/** Bucket names read per directory call. */
const NAMES_PER_CALL = 500;

/** How much one sweep may do. */
export type SweepOptions = {
  /**
   * Pages of lifecycle runs, of some 2,000 rows; a run that needs more goes on in
   * the next sweep. Default 10,000.
   */
  readonly lifecyclePages?: number;
  /** Packs that are looked at to be written anew; the rest waits. Default 1,024. */
  readonly repacks?: number;
  /** How much is compressed; the rest waits. Default LARGE_COMPRESSION_BUDGET. */
  readonly compression?: Omit<CompressionBudget, 'stopping'>;
  /**
   * Whether it brings storage hours to the ledger; not where buckets do so by
   * themselves. Default true.
   */
  readonly collectsStorage?: boolean;
  /**
   * Once it is aborted, the sweep ends after the current bucket, or the current
   * page of a run.
   */
  readonly stopping?: AbortSignal;
};

/** Pages of lifecycle runs of a sweep that has no other bound. Our own limit. */
const LIFECYCLE_PAGES = 10_000;
/** Packs that such a sweep looks at: 4 GiB to read. Our own limit. */
const REPACKS = 1024;

/**
 * Sweeps every bucket, one after the other. A bucket whose sweep fails is logged
 * and left to the next sweep.
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
 * A batch of buckets: so many behind a name, in byte order. `onSwept` is called
 * after each of them.
 */
export type SweepBatch = {
  readonly after: string;
  readonly bucketsMax: number;
  readonly onSwept?: (name: BucketName) => Promise<unknown>;
};

/**
 * Sweeps a batch of buckets. `isAll`: it reached the last bucket. Rejects when the
 * directory or `onSwept` fails.
 */
export async function sweepBuckets(
  core: Core,
  { after: start, bucketsMax, onSwept = async () => {} }: SweepBatch,
  options: SweepOptions,
): Promise<{ readonly result: SweepResult; readonly isAll: boolean }> {
  const { directory, log } = core.ports;
  const { lifecyclePages = LIFECYCLE_PAGES, repacks = REPACKS, stopping = null } = options;
  const total: Total = {
    deletedBlobs: 0,
    releasedReferences: 0,
    counts: NO_COUNTS,
    compressible: [],
  };
  const { collectsStorage = true } = options;
  const budget: PageBudget = { pages: lifecyclePages, stopping };
  const repackBudget: RepackBudget = { packs: repacks, stopping };
  const isStopping = () => stopping?.aborted === true;

  let isAll = false;
  let after = start;
  let left = bucketsMax;
  while (left > 0 && !isAll && !isStopping()) {
    const limit = Math.min(NAMES_PER_CALL, left);
    const names = await directory.call('listBucketNames', { after, limit });
    for (const name of names) {
      if (isStopping()) break;
      if (collectsStorage) await attempt(core, name, () => collectStorage(core, name));
      await sweepName(core, name, { budget, repackBudget }, total);
      await onSwept(name);
      after = name;
    }
    left -= names.length;
    isAll = names.length < limit && !isStopping();
  }

  // Compression comes last, since it takes longest.
  const compression = options.compression ?? LARGE_COMPRESSION_BUDGET;
  await compressBuckets(core, total.compressible, { ...compression, stopping });

  const { deletedBlobs, releasedReferences, counts } = total;
  if (deletedBlobs + releasedReferences > 0)
    log.info('swept', { deletedBlobs, releasedReferences });
  if (Object.values(counts).some((count) => count > 0)) log.info('lifecycle', counts);
  return { result: { deletedBlobs, releasedReferences }, isAll };
}

/** The result of a sweep, and the buckets whose bodies are to be compressed. */
type Total = {
  deletedBlobs: number;
  releasedReferences: number;
  counts: LifecycleCounts;
  readonly compressible: BucketName[];
};

/**
 * Does all work on one bucket name but compression. One kind that fails does not
 * stop the others.
 */
async function sweepName(
  core: Core,
  name: BucketName,
  { budget, repackBudget }: { budget: PageBudget; repackBudget: RepackBudget },
  total: Total,
): Promise<void> {
  const attempted = await attempt(core, name, async () => {
    const incarnations = await core.ports.metadataIndex.call(name, 'listIncarnations', { name });
    const swept = await sweepBucket(core, name, incarnations);
    total.deletedBlobs += swept.deletedBlobs;
    total.releasedReferences += swept.releasedReferences;
    return incarnations.filter(({ isDeleted }) => !isDeleted);
  });
  // Behind the bucket come its shards, if it is split; they have packs of their own.
  const alive = attempted ?? [];
  const [living] = alive;
  if (living === undefined) return;

  const { bucket, searchedAtMs, levelsUsedAtMs, idleUploadMs, selectionEndsMs } = living;
  const nowMs = core.ports.clock.nowMs();
  for (const { packDueMs, bucket: owner } of alive) {
    if (packDueMs !== null && packDueMs <= nowMs)
      await attempt(core, name, () => writeDuePacks(core, owner.name, budget.stopping));
  }
  if (living.hasSparsePacks)
    await attempt(core, name, () => repackSparse(core, name, repackBudget));
  if (living.hasKeyJobs) {
    await attempt(core, name, async () =>
      resumeKeyJobs(core, await openBucket(core, name, () => undefined)),
    );
  }
  if (searchedAtMs !== null) {
    await attempt(core, name, () =>
      maintainSearchIndex(core, bucket, searchedAtMs, budget.stopping),
    );
  }
  if (levelsUsedAtMs !== null) {
    await attempt(core, name, () => forgetUnusedLevels(core, bucket, levelsUsedAtMs));
  }
  if (idleUploadMs !== null) {
    await attempt(core, name, () => abortStaleUploads(core, name, { idleUploadMs, budget }));
  }
  if (selectionEndsMs !== null && selectionEndsMs <= nowMs) {
    await attempt(core, name, () =>
      core.ports.metadataIndex.call(name, 'dropSelections', { bucket, nowMs }),
    );
  }
  const { dropRowsEndMs } = living;
  if (dropRowsEndMs !== null && dropRowsEndMs <= nowMs) {
    await attempt(core, name, () => forgetDropRows(core, bucket, budget.stopping));
  }
  if (living.hasLifecycle) {
    await attempt(core, name, async () => {
      total.counts = addCounts(total.counts, await runLifecycle(core, name, budget));
    });
  }
  if (living.hasCompression) total.compressible.push(name);
}

/**
 * Compresses cold bodies of buckets. Each sweep begins with another bucket, so that
 * a large one does not starve the others.
 */
async function compressBuckets(
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

/** Does some work; null when it failed, which is logged. */
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
