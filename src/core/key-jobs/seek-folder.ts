// Seeks in a folder by rank or by name, for a console that scrolls through a million
// rows. Small folders are counted each time. A larger one is counted at its first seek, in
// steps between which others can write. From then on the index keeps its counts exact;
// they are deleted when nobody has sought there for a week.
import type { BucketAddress } from '../../domain/nouns.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { LevelPage, LevelStart } from '../../ports/index-calls/level-calls.ts';
import type { Core } from '../core.ts';
import { type BucketHandle, openBucket } from '../opened-bucket/bucket-handle.ts';

/** Time without a seek after which the counts of a folder are deleted, milliseconds. */
const UNUSED_MS = 7 * DAY_MS;
/** Steps of counting between two looks: some 100 ms. */
const STEPS_OF_ROUND = 5;
/** Time for which a folder that took a step counts as being counted, milliseconds. */
const COUNTING_MS = 3000;
/** Rounds of steps that a jump waits for whose place is not counted yet: some 4 s. */
const ROUNDS_OF_JUMP = 40;

export type SeekInput = {
  readonly prefix: string;
  readonly delimiter: string;
  readonly limit: number;
  readonly start: LevelStart;
};

/**
 * Seeks in a folder. A very large folder is counted behind the response, and for minutes
 * where many others of the bucket were counted lately. Until then `total` is not exact, and
 * a rank that is not counted yet gives the last one that is. Cost: one index read once
 * the folder is counted; the port says what that and counting cost on Cloudflare.
 */
export async function seekFolder(
  core: Core,
  bucket: BucketHandle,
  { prefix, delimiter, limit, start }: SeekInput,
): Promise<LevelPage> {
  let isRefused = false;
  /** True: no further step does anything. */
  const countStep = async () => {
    const nowMs = core.ports.clock.nowMs();
    const { isReady, hasRoom } = await bucket.call('countLevel', { prefix, delimiter, nowMs });
    if (!hasRoom) isRefused = true;
    return isReady || !hasRoom;
  };
  const countAll = () =>
    core.ports.background.run('count-names', async () => {
      while (!(await countStep()));
    });

  let isOtherCounting = false;
  for (let rounds = 0; ; rounds++) {
    const page = await bucket.call('listLevel', { prefix, delimiter, maxKeys: limit, start });
    const idleMs = core.ports.clock.nowMs() - (page.usedAtMs ?? Number.NEGATIVE_INFINITY);
    if (rounds === 0) isOtherCounting = idleMs < COUNTING_MS;
    if (page.isExact) {
      // Noted once a day, so that most seeks write nothing.
      if (page.usedAtMs !== null && idleMs > DAY_MS) countAll();
      return page;
    }

    const roundsOfPage = isOtherCounting ? 0 : 1;
    if (isRefused) return page;
    if (rounds >= (isFound(page, start) ? roundsOfPage : ROUNDS_OF_JUMP)) {
      // One of many seeks counts behind its response, and the others let it.
      if (!isOtherCounting) countAll();
      return page;
    }
    for (let step = 0, isEnd = false; step < STEPS_OF_ROUND && !isEnd; step++) {
      isEnd = await countStep();
    }
  }
}

/** Whether the page begins where it was to begin. */
function isFound({ rank }: LevelPage, start: LevelStart): boolean {
  if (start.by === 'name') return rank !== null;
  return !start.isFromEnd && rank === start.rank;
}

/** Deletes the counts of folders that nobody sought in for a week; the sweep calls it. */
export async function forgetUnusedLevels(
  core: Core,
  address: BucketAddress,
  usedAtMs: number,
): Promise<void> {
  const unusedSinceMs = core.ports.clock.nowMs() - UNUSED_MS;
  if (usedAtMs >= unusedSinceMs) return;
  const bucket = await openBucket(core, address.name, () => undefined);
  await bucket.call('forgetLevels', { unusedSinceMs });
}
