// The timers of what the Node platform does for itself: looks at the disk, the reserve, the scrub,
// and what of them the operator must hear. node.ts starts it and stops it.
import type { OperatorWork } from '../../ports/operator-work.ts';
import type { Log } from '../../ports/system.ts';
import type { NodePorts } from './node-ports.ts';
import { repeat } from './process/repeat.ts';

/**
 * How often the file system is asked for its room, milliseconds: between two looks bytes are
 * counted.
 */
const DISK_LOOK_MS = 1000;
/**
 * How often the reserve and the alarm are attended to, milliseconds; late enough to leave the start
 * alone.
 */
const DISK_ATTEND_MS = 10_000;

/** How often it is asked whether a pass of the scrub is due, or goes on, milliseconds. */
const SCRUB_LOOK_MS = 60_000;

export type Upkeep = {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
};

export function runUpkeep(
  { disk, scrub }: Pick<NodePorts, 'disk' | 'scrub'>,
  work: OperatorWork,
  log: Log,
): Upkeep {
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
