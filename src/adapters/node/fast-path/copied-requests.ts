// Copies of requests whose answers are due, for the lane reads the next ones into the same bytes.
// They lie in a ring: to make a Buffer for each takes longer than to fill one.
import { Buffer } from 'node:buffer';
import { DUE_MAX } from '../server/end-of-tick.ts';

/** Longer requests get a Buffer of their own. Bytes; plain ones of programs have some 200. */
const SLOT_BYTES = 512;
/** Those that are being sent, and as many that come meanwhile. */
const SLOTS = 2 * DUE_MAX;

/**
 * Keeps a request until `SLOTS` others were kept; its bytes stand at the beginning of what this
 * gives.
 */
export type KeepRequest = (chunk: Buffer) => Buffer;

/** One for a lane. Cost: 50 ns. */
export function createKeptRequests(): KeepRequest {
  const ring = Buffer.allocUnsafeSlow(SLOTS * SLOT_BYTES);
  const slots = Array.from({ length: SLOTS }, (_, at) =>
    ring.subarray(at * SLOT_BYTES, (at + 1) * SLOT_BYTES),
  );
  let next = 0;
  return (chunk) => {
    const slot = slots[next];
    if (slot === undefined || chunk.length > SLOT_BYTES) return Buffer.from(chunk);
    next = (next + 1) % SLOTS;
    slot.set(chunk);
    return slot;
  };
}
