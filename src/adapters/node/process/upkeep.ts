// Timers of what the Node platform does for itself: looks at the disk, the reserve,
// the scrub, and reports of them to the operator. service-tasks.ts starts and stops
// them.
import type { OperatorWork } from '../../../ports/operator-work.ts';
import type { Log } from '../../../ports/system.ts';
import { repeat } from './repeat.ts';

/**
 * What the timers call. `work` is the core's part: reports to the operator, proofs
 * of bodies.
 */
export type UpkeepCalls = {
  readonly disk: {
    /** Asks the file system for its room. */
    look(): Promise<unknown>;
    /**
     * Makes the reserve whole where there is room for it, and reports a level that
     * was passed.
     */
    attend(report: OperatorWork['diskCrossed']): Promise<void>;
  };
  readonly scrub: { run(work: OperatorWork, stopping: AbortSignal): Promise<void> };
  readonly work: OperatorWork;
};

/**
 * How often the file system is asked for its room, ms: bytes are counted between
 * two looks.
 */
const DISK_LOOK_MS = 1000;
/**
 * How often reserve and alarm are attended to, ms; late enough to leave the start
 * alone.
 */
const DISK_ATTEND_MS = 10_000;
/** How often the scrub is asked whether a pass is due, or goes on, milliseconds. */
const SCRUB_LOOK_MS = 60_000;

export type Upkeep = {
  /** Resolves when no task of the upkeep runs any more. */
  stop(): Promise<void>;
};

/** Starts the timers. */
export function runUpkeep({ disk, scrub, work }: UpkeepCalls, log: Log): Upkeep {
  const repetitions = [
    repeat('disk-look', disk.look, { everyMs: DISK_LOOK_MS, log }),
    repeat('disk', () => disk.attend(work.diskCrossed), { everyMs: DISK_ATTEND_MS, log }),
    repeat('scrub', (stopping) => scrub.run(work, stopping), { everyMs: SCRUB_LOOK_MS, log }),
  ];
  return {
    async stop() {
      await Promise.all(repetitions.map((repetition) => repetition.stop()));
    },
  };
}
