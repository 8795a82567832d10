// Whether something may still be used, from what memory knows of the caps on it: some comparisons,
// no I/O. cap-guard.ts leases more when memory doesn't know. Pure.
import { type Allowance, type OperationClass, unitsOf } from '../../ports/metering.ts';

/**
 * `ask`: what memory knows is too old or used up. `no`: the cap is reached, or lets only through
 * what caches hold.
 */
export type Admission = 'yes' | 'ask' | 'no';

/** `fromMemory`: whether nothing below the caches is needed for the answer. */
export function admit(
  allowances: readonly Allowance[] | null,
  wanted: { operationClass: OperationClass; bytesOut: number; fromMemory: boolean },
  nowMs: number,
): Admission {
  if (wanted.operationClass === 'free') return 'yes';
  if (allowances === null) return 'ask';
  for (const allowance of allowances) {
    if (allowance.expiresAtMs <= nowMs) return 'ask';
    if (allowance.level === 'refused') return 'no';
    if (allowance.level === 'cached' && !wanted.fromMemory) return 'no';
    if (
      allowance.used + unitsOf(allowance, wanted.operationClass, wanted.bytesOut) >
      allowance.upTo
    )
      return 'ask';
  }
  return 'yes';
}
