// Monotonic time on Node. `performance.now` stands still while the machine sleeps,
// the system's uptime goes on; setting the clock moves neither. A virtual machine
// that its host stops loses that time on both.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { SteadyClock } from '../../../ports/system.ts';

/** Source: Linux, `random(4)`: new with each boot. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Makes the clock. Where boots have no id, readings of another process do not
 * compare.
 */
export function createSteadyClock(): SteadyClock {
  const epoch = readBootId() ?? randomUUID();
  return { awakeMs: () => performance.now(), read: () => ({ epoch, ms: uptime() * 1000 }) };
}

function readBootId(): string | null {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    return null;
  }
}
