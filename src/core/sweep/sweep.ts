// The scheduled work on every bucket: hours of storage go to the ledger, room is given back, stale uploads are given up, lifecycle
// rules are carried out. Both homes call it by their clock; whatever is left undone waits for the next time.
import type { BucketName } from '../../ports/domain.ts';
import { HOUR_MS } from '../../ports/ledger.ts';
import { openBucket } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { addCounts, NO_COUNTS, type PageBudget, runLifecycle } from '../lifecycle/run-lifecycle.ts';
import { collectStorage } from '../metering/collect-storage.ts';
import { abortStaleUploads } from '../multipart/abort-stale-uploads.ts';
import { tendSearch } from '../names/search-names.ts';
import { resumeNameJobs } from '../names/start-name-job.ts';
import { LARGE_PACKING } from '../packing/packing-budgets.ts';
import { type PackingBudget, runPacking } from '../packing/run-packing.ts';
import { type SweepResult, sweepBucket } from './sweep-bucket.ts';

/** Bucket names read per call. */
const PAGE = 500;

export type SweepOptions = {
  /** Pages of lifecycle runs in this sweep, of some 2,000 rows; a run that needs more goes on in the next one. 10,000. */
  readonly lifecyclePages?: number;
  /** What packing may do in this sweep; the rest waits for the next one. LARGE_PACKING. */
  readonly packing?: Omit<PackingBudget, 'stopping'>;
  /** Once it is aborted the sweep ends behind the bucket, or the page of a run, that it is at. */
  readonly stopping?: AbortSignal;
};

const LIFECYCLE_PAGES = 10_000;
/** Sweeps every bucket, one after the other. A bucket whose sweep fails is logged and left to the next sweep. */
export async function sweep(core: Core, options: SweepOptions = {}): Promise<SweepResult> {
  const { directory, log, metadataIndex } = core.ports;
  const { lifecyclePages = LIFECYCLE_PAGES, stopping = null } = options;
  const budget: PageBudget = { pages: lifecyclePages, stopping };
  const packable: BucketName[] = [];
  let deletedBlobs = 0;
  let releasedHolds = 0;
  let counts = NO_COUNTS;
  for (let after = ''; ; ) {
    const names = await directory.call('listBucketNames', { after, limit: PAGE });
    for (const name of names) {
      if (stopping?.aborted === true) break;
      await attempt(core, name, () => collectStorage(core, name));
      const living = await attempt(core, name, async () => {
        const lives = await metadataIndex.call(name, 'listBucketLives', { name });
        const swept = await sweepBucket(core, name, lives);
        deletedBlobs += swept.deletedBlobs;
        releasedHolds += swept.releasedHolds;
        return lives.find((life) => !life.isDeleted) ?? null;
      });
      if (living?.hasNameJobs === true) {
        await attempt(core, name, async () => resumeNameJobs(core, await openBucket(core, name, () => undefined)));
      }
      if (living !== null && living.searchedAtMs !== null) {
        await attempt(core, name, () => tendSearch(core, living.bucket, living.searchedAtMs ?? 0, stopping));
      }
      if (living !== null && living.idleUploadMs !== null) {
        await attempt(core, name, () =>
          abortStaleUploads(core, name, { idleUploadMs: living.idleUploadMs ?? 0, budget }),
        );
      }
      if (living?.hasLifecycle === true) {
        await attempt(core, name, async () => {
          counts = addCounts(counts, await runLifecycle(core, name, budget));
        });
      }
      if (living?.hasPacking === true) packable.push(name);
      after = name;
    }
    if (names.length < PAGE || stopping?.aborted === true) break;
  }
  // Last, for it takes longest.
  await pack(core, packable, { ...(options.packing ?? LARGE_PACKING), stopping });
  if (deletedBlobs + releasedHolds > 0) log.info('swept', { deletedBlobs, releasedHolds });
  if (Object.values(counts).some((count) => count > 0)) log.info('lifecycle', counts);
  return { deletedBlobs, releasedHolds };
}

/** Each sweep begins with another bucket, so that a large one does not keep the others from their turn. */
async function pack(core: Core, names: readonly BucketName[], budget: PackingBudget): Promise<void> {
  const first = names.length === 0 ? 0 : Math.floor(core.ports.clock.nowMs() / HOUR_MS) % names.length;
  for (const name of [...names.slice(first), ...names.slice(0, first)]) {
    await attempt(core, name, () => runPacking(core, name, budget));
  }
}

/** What the work gives, or null when it failed, which is logged. */
async function attempt<Result>(core: Core, bucket: BucketName, work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work();
  } catch (cause) {
    core.ports.log.error('sweep-failed', { bucket, cause });
    return null;
  }
}
