// The clock of the machine, for both platforms. Tests bring their own.
import type { Clock } from '../../ports/system.ts';

/** Wall-clock time. In a Worker it stands still between two waits for I/O. */
export const systemClock: Clock = { nowMs: () => Date.now() };
