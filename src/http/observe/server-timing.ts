// Server-Timing: where the time of a response went, for whoever looks at it in a
// browser. Pure. A response out of memory has a constant, because the full path and
// the fast path must give the same bytes and nothing in it took any time worth
// telling. Source: https://www.w3.org/TR/server-timing/
import { bodySource, type RequestNotes } from './request-notes.ts';

export const SERVER_TIMING = 'server-timing';
/** The timing of a response whose pointer and body stood in memory. */
export const HIT_TIMING = 'hit;desc=memory';

/**
 * The timing of a public read that some other tier had to answer:
 * `metadata;desc=index;dur=1.2, body;desc=bucket;dur=3.4, total;dur=4.6`, in
 * milliseconds up to the head of the response. Cost: 0.5 µs.
 */
export function readTiming(notes: RequestNotes, nowMs: number): string {
  const { startedMs, foundMs, metadataTier } = notes;
  const body = bodySource(notes);
  const metadata = `metadata;desc=${metadataTier ?? 'none'};dur=${duration(foundMs - startedMs)}, `;
  const ofBody = body === null ? '' : `body;desc=${body};dur=${duration(nowMs - foundMs)}, `;
  return `${metadata}${ofBody}total;dur=${duration(nowMs - startedMs)}`;
}

/**
 * The timing of a body that was had from the bucket in the very call that asked for
 * it; its metadata stood in memory.
 */
export function atHandTiming(bodyMs: number): string {
  return SHORT_AT_HAND[Math.round(bodyMs * STEPS_PER_MS)] ?? atHandText(bodyMs);
}

function atHandText(bodyMs: number): string {
  const spent = duration(bodyMs);
  // Joined, for V8 has it in one piece then: it is read character by character.
  return ['metadata;desc=memory;dur=0, body;desc=bucket;dur=', spent, ', total;dur=', spent].join(
    '',
  );
}

/**
 * Durations are given in hundredths of a millisecond. Finer would tell strangers
 * more of the inside than they need.
 */
const STEPS_PER_MS = 100;
/** The texts of what took less than a millisecond, as nearly all does. */
const SHORT_AT_HAND = Array.from({ length: STEPS_PER_MS }, (_, steps) =>
  atHandText(steps / STEPS_PER_MS),
);

/**
 * The timing of an S3 operation: until it was known who asks and whether they may,
 * and what came then. Cost: 0.5 µs.
 */
export function operationTiming(notes: RequestNotes, nowMs: number): string {
  const { startedMs, foundMs } = notes;
  const body = bodySource(notes);
  const ofBody = body === null ? '' : `body;desc=${body}, `;
  return (
    `auth;dur=${duration(foundMs - startedMs)}, work;dur=${duration(nowMs - foundMs)}, ` +
    `${ofBody}total;dur=${duration(nowMs - startedMs)}`
  );
}

/**
 * The timing of an S3 operation on the fast path, where only a body from the bucket
 * takes any time worth telling.
 */
export function fastPathOperationTiming(bodyFrom: string | null, bodyMs: number): string {
  const spent = duration(bodyMs);
  const ofBody = bodyFrom === null ? '' : `body;desc=${bodyFrom}, `;
  return `auth;dur=0, work;dur=${spent}, ${ofBody}total;dur=${spent}`;
}

function duration(ms: number): number {
  return Math.max(0, Math.round(ms * STEPS_PER_MS) / STEPS_PER_MS);
}
