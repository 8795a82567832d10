// Compression of the cold bodies of one bucket, in the scheduled sweep, where its
// owner has set it. Each version is examined once: a completed run stores up to
// which time of writing it went, and the next one begins there. A run that is
// interrupted goes on from its cursor; what it had compressed is not listed again.
import type { BucketName } from '../../domain/nouns.ts';
import { DAY_MS, earlier, startOfDay } from '../../domain/time.ts';
import type {
  CompressionCandidate,
  CompressionCursor,
  CompressionRun,
} from '../../ports/index-calls/compression-calls.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { isChange, openUnchanging, whileUnchanged } from '../opened-bucket/unchanging.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { isAlreadyCompressed } from './already-compressed.ts';
import { type CompressOutcome, compressVersion } from './compress-version.ts';

/**
 * Smallest body that is compressed, bytes: a smaller one gains no more than a block
 * of a disk.
 */
const BODY_MIN_BYTES = 16 * 1024;
/**
 * Runs in a row that repeat failed versions: what is damaged for good must not
 * cause a new scan every day.
 */
const RETRIES_MAX = 3;

/**
 * What the runs of a sweep may still do together; a body that was begun is
 * finished.
 */
export type CompressionBudget = {
  /** Plain bytes to compress. */
  bytes: number;
  /** Bodies to sample. */
  bodies: number;
  /** Largest body that is ever compressed, bytes. */
  readonly bodyMaxBytes: number;
  /**
   * Plain bytes of a frame: fewer compress worse, more slow down small ranges
   * (bench/README.md).
   */
  readonly frameBytes: number;
  readonly stopping: AbortSignal | null;
};

/** The result of a run: bodies and the bytes that they save. */
type Total = { compressed: number; savedBytes: number };

/**
 * Starts or resumes the run of a bucket. Cost: one index read where no run is due;
 * else one for each page of some 2,000 rows, and that of compressVersion for each
 * candidate.
 */
export async function runCompression(
  core: Core,
  name: BucketName,
  budget: CompressionBudget,
): Promise<void> {
  const total = { compressed: 0, savedBytes: 0 };
  await whileUnchanged(async () => {
    const bucket = await openUnchanging(core, name);
    const setting = bucket.record().settings.compression;
    if (setting === null) return;
    const nowMs = core.ports.clock.nowMs();
    const dayMs = core.settings.lifecycleDaySeconds * 1000;
    const moment = {
      setAtMs: setting.setAtMs,
      nowMs,
      upToMs: nowMs - setting.afterDays * dayMs,
      dayMs,
    };
    const run = nextRun(await bucket.call('getCompressionRun', {}), moment);
    if (run !== null) await advance(core, bucket, run, budget, total);
  });
  if (total.compressed > 0) core.ports.log.info('bodies-compressed', { bucket: name, ...total });
}

type Moment = {
  readonly setAtMs: number;
  readonly nowMs: number;
  readonly upToMs: number;
  readonly dayMs: number;
};

const START: CompressionCursor = {
  phase: 'objects',
  prefix: '',
  afterKey: '',
  afterId: '',
  newerVersions: 0,
};

/**
 * Finds the run to resume, or makes a new one; null when today's is over or nothing
 * is due.
 */
function nextRun(
  latest: CompressionRun | null,
  { setAtMs, nowMs, upToMs, dayMs }: Moment,
): CompressionRun | null {
  const fresh = { setAtMs, startedAtMs: nowMs, upToMs, failedFromMs: null, place: START };
  if (latest === null || latest.setAtMs !== setAtMs)
    return upToMs <= 0 ? null : { ...fresh, doneUpToMs: 0, retries: 0 };
  if (latest.place !== null) return latest;

  const { failedFromMs, retries, startedAtMs } = latest;
  const isRetry = failedFromMs !== null && retries < RETRIES_MAX;
  const doneUpToMs = isRetry ? failedFromMs - 1 : latest.upToMs;
  const isOver = dayMs === DAY_MS && startOfDay(startedAtMs) === startOfDay(nowMs);
  return isOver || upToMs <= doneUpToMs
    ? null
    : { ...fresh, doneUpToMs, retries: isRetry ? retries + 1 : 0 };
}

/** Advances a run page by page until it or the budget ends. */
async function advance(
  core: Core,
  bucket: BucketHandle,
  begun: CompressionRun,
  budget: CompressionBudget,
  total: Total,
) {
  let run = begun;
  while (run.place !== null && isWithinBudget(budget)) {
    const cursor = run.place;
    const bounds = {
      writtenAfterMs: run.doneUpToMs,
      writtenUpToMs: run.upToMs,
      minBytes: BODY_MIN_BYTES,
      maxBytes: budget.bodyMaxBytes,
    };
    const page = await bucket.call('scanForCompression', { cursor: cursor, bounds });

    const work = await compressPage(core, bucket, page.candidates, budget, total);
    const next = work.isWhole ? (page.next ?? nextPhase(cursor)) : cursorAfter(cursor, work.last);
    const failedFromMs = earlier(run.failedFromMs, work.failedFromMs);
    run = { ...run, failedFromMs, place: next };
    await bucket.call('setCompressionRun', { run });
    await yieldToEventLoop();
  }
}

const isWithinBudget = ({ bytes, bodies, stopping }: CompressionBudget): boolean =>
  bytes > 0 && bodies > 0 && stopping?.aborted !== true;

function nextPhase({ phase }: CompressionCursor): CompressionCursor | null {
  return phase === 'objects' ? { ...START, phase: 'versions' } : null;
}

function cursorAfter(
  cursor: CompressionCursor,
  last: CompressionCandidate | null,
): CompressionCursor {
  if (last === null) return cursor;
  return {
    ...cursor,
    afterKey: last.key,
    afterId: cursor.phase === 'versions' ? last.versionId : '',
  };
}

/** The work on a page. `last`: the last candidate that was handled. */
type PageWork = Pick<CompressionRun, 'failedFromMs'> & {
  readonly isWhole: boolean;
  readonly last: CompressionCandidate | null;
};

async function compressPage(
  core: Core,
  bucket: BucketHandle,
  candidates: readonly CompressionCandidate[],
  budget: CompressionBudget,
  total: Total,
): Promise<PageWork> {
  let last: CompressionCandidate | null = null;
  let failedFromMs: number | null = null;
  for (const candidate of candidates) {
    if (!isWithinBudget(budget)) return { isWhole: false, last, failedFromMs };
    const outcome = isAlreadyCompressed(candidate.headers)
      ? null
      : await compressOne(core, bucket, candidate, budget);
    if (outcome?.kind === 'stopped') return { isWhole: false, last, failedFromMs };
    if (outcome?.kind === 'failed') failedFromMs = earlier(failedFromMs, candidate.lastModifiedMs);
    if (outcome?.kind === 'compressed') {
      total.compressed += 1;
      total.savedBytes += outcome.savedBytes;
    }
    last = candidate;
  }
  return { isWhole: true, last, failedFromMs };
}

/** Compresses one candidate; a failure is logged and does not stop the others. */
async function compressOne(
  core: Core,
  bucket: BucketHandle,
  candidate: CompressionCandidate,
  budget: CompressionBudget,
): Promise<CompressOutcome | { readonly kind: 'failed' }> {
  budget.bodies -= 1;
  try {
    const outcome = await compressVersion(core, bucket, candidate, budget);
    if (outcome.kind === 'compressed') budget.bytes -= candidate.sizeBytes;
    return outcome;
  } catch (cause) {
    if (isChange(cause)) throw cause;
    const { key, versionId } = candidate;
    core.ports.log.error('compression-failed', {
      bucket: bucket.record().name,
      key,
      versionId,
      cause,
    });
    return { kind: 'failed' };
  }
}
