// Packs the bodies of one bucket that came of age, in the scheduled sweep, where its owner wants
// it. Each version is looked at once: a run that went through remembers up to which time of writing
// it did, and the next begins there. A run that is cut short, or dies, goes on from its place; what
// it had packed is not found again.
import type { BucketName } from '../../domain/nouns.ts';
import { DAY_MS, earlier, startOfDay } from '../../domain/time.ts';
import type {
  CompressionCandidate,
  CompressionCursor,
  CompressionRun,
} from '../../ports/index-calls/compression-calls.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { isChange, openUnchanging, whileUnchanged } from '../buckets/unchanging.ts';
import type { Core } from '../core.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { isAlreadyCompressed } from './already-compressed.ts';
import { type CompressOutcome, compressVersion } from './compress-version.ts';

/** Below this a body gains no more than a block of a disk, bytes. */
const BODY_MIN_BYTES = 16 * 1024;
/**
 * Runs in a row that look again at what failed: what is damaged for good must not have all looked
 * at every day.
 */
const RETRIES_MAX = 3;

/** What the runs of a sweep may still do together; a body that was begun is ended. */
export type CompressionBudget = {
  /** Plain bytes to pack. */
  bytes: number;
  /** Bodies to look into. */
  bodies: number;
  /** Larger bodies are left alone for good, bytes. */
  readonly bodyMaxBytes: number;
  /**
   * Plain bytes of a frame: fewer cost room, more cost each small range (bench/README.md, packing).
   */
  readonly frameBytes: number;
  readonly stopping: AbortSignal | null;
};

/** What a run packed. */
type Total = { packed: number; savedBytes: number };

/**
 * Cost: one index read where no run is due; else one for each page of some 2,000 rows, and
 * compressVersion's for each candidate.
 */
export async function runCompression(
  core: Core,
  name: BucketName,
  budget: CompressionBudget,
): Promise<void> {
  const total = { packed: 0, savedBytes: 0 };
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
    const run = runToGoOn(await bucket.call('getCompressionRun', {}), moment);
    if (run !== null) await goOn(core, bucket, run, budget, total);
  });
  if (total.packed > 0) core.ports.log.info('packed', { bucket: name, ...total });
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

/** The run to go on with, a new one, or null when today's is over or nothing came of age since. */
function runToGoOn(
  known: CompressionRun | null,
  { setAtMs, nowMs, upToMs, dayMs }: Moment,
): CompressionRun | null {
  const fresh = { setAtMs, startedAtMs: nowMs, upToMs, failedFromMs: null, place: START };
  if (known === null || known.setAtMs !== setAtMs)
    return upToMs <= 0 ? null : { ...fresh, doneUpToMs: 0, retries: 0 };
  if (known.place !== null) return known;
  const { failedFromMs, retries, startedAtMs } = known;
  const isRetry = failedFromMs !== null && retries < RETRIES_MAX;
  const doneUpToMs = isRetry ? failedFromMs - 1 : known.upToMs;
  const isOver = dayMs === DAY_MS && startOfDay(startedAtMs) === startOfDay(nowMs);
  return isOver || upToMs <= doneUpToMs
    ? null
    : { ...fresh, doneUpToMs, retries: isRetry ? retries + 1 : 0 };
}

async function goOn(
  core: Core,
  bucket: BucketHandle,
  begun: CompressionRun,
  budget: CompressionBudget,
  total: Total,
) {
  let run = begun;
  while (run.place !== null && mayGoOn(budget)) {
    const place = run.place;
    const bounds = {
      ...{ writtenAfterMs: run.doneUpToMs, writtenUpToMs: run.upToMs },
      ...{ minBytes: BODY_MIN_BYTES, maxBytes: budget.bodyMaxBytes },
    };
    const page = await bucket.call('scanForCompression', { place, bounds });
    const worked = await compressPage(core, bucket, page.candidates, budget, total);
    const next = worked.isWhole ? (page.next ?? nextPhase(place)) : cursorAfter(place, worked.last);
    run = { ...run, failedFromMs: earlier(run.failedFromMs, worked.failedFromMs), place: next };
    await bucket.call('setCompressionRun', { run });
    await yieldToEventLoop();
  }
}

const mayGoOn = ({ bytes, bodies, stopping }: CompressionBudget): boolean =>
  bytes > 0 && bodies > 0 && stopping?.aborted !== true;

function nextPhase({ phase }: CompressionCursor): CompressionCursor | null {
  return phase === 'objects' ? { ...START, phase: 'versions' } : null;
}

function cursorAfter(
  place: CompressionCursor,
  last: CompressionCandidate | null,
): CompressionCursor {
  if (last === null) return place;
  return {
    ...place,
    afterKey: last.key,
    afterId: place.phase === 'versions' ? last.versionId : '',
  };
}

/** `last`: the last one that was dealt with. */
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
    if (!mayGoOn(budget)) return { isWhole: false, last, failedFromMs };
    const outcome = isAlreadyCompressed(candidate.headers)
      ? null
      : await compressOne(core, bucket, candidate, budget);
    if (outcome?.kind === 'stopped') return { isWhole: false, last, failedFromMs };
    if (outcome?.kind === 'failed') failedFromMs = earlier(failedFromMs, candidate.lastModifiedMs);
    if (outcome?.kind === 'packed') {
      total.packed += 1;
      total.savedBytes += outcome.savedBytes;
    }
    last = candidate;
  }
  return { isWhole: true, last, failedFromMs };
}

/** One that fails must not keep the others from their turn. */
async function compressOne(
  core: Core,
  bucket: BucketHandle,
  candidate: CompressionCandidate,
  budget: CompressionBudget,
): Promise<CompressOutcome | { readonly kind: 'failed' }> {
  budget.bodies -= 1;
  try {
    const outcome = await compressVersion(core, bucket, candidate, budget);
    if (outcome.kind === 'packed') budget.bytes -= candidate.sizeBytes;
    return outcome;
  } catch (cause) {
    if (isChange(cause)) throw cause;
    const { key, versionId } = candidate;
    core.ports.log.error('packing-failed', { bucket: bucket.record().name, key, versionId, cause });
    return { kind: 'failed' };
  }
}
