// Which times are believed. A clock can jump: it is set by hand, by a time service,
// by a machine that wakes up elsewhere. What goes by age and can't be undone
// (bills, storage over time, deletion by rules) goes by times that steady time
// supports.
import { DAY_MS } from './time.ts';

/**
 * Time that only goes on, whatever becomes of the clock. Readings compare within
 * one epoch: one boot of the machine.
 */
export type SteadyReading = { readonly epoch: string; readonly ms: number };

/**
 * A time of the clock that was believed, with steady time as it was then; `steady`
 * null: the platform has none.
 */
export type SeenTime = { readonly atMs: number; readonly steady: SteadyReading | null };

/**
 * What a clock may be off steady time between two looks, milliseconds: a time
 * service steps a clock by seconds, and clients with more than 15 minutes are
 * refused anyway.
 */
export const JUMP_MAX_MS = 5 * 60_000;
/**
 * What may have passed where steady time says nothing (another boot, no steady time
 * at all), milliseconds. Bills are made a day after the end of their month, so no
 * jump of a day closes the month in which the clock was seen last.
 */
const UNSEEN_MAX_MS = DAY_MS;

/**
 * By how much the clock has jumped since it was seen, milliseconds, ahead or back;
 * 0: it has not. `seen` null: it never was, and whatever it says is believed.
 */
export function jumpSince(
  seen: SeenTime | null,
  nowMs: number,
  steady: SteadyReading | null,
): number {
  if (seen === null) return 0;
  const passedMs = nowMs - seen.atMs;
  if (steady !== null && seen.steady?.epoch === steady.epoch) {
    const jumpMs = passedMs - (steady.ms - seen.steady.ms);
    return Math.abs(jumpMs) <= JUMP_MAX_MS ? 0 : jumpMs;
  }
  return passedMs >= -JUMP_MAX_MS && passedMs <= UNSEEN_MAX_MS ? 0 : passedMs;
}
