// Admission control: whether a use still fits what memory knows of the caps on it.
// Some comparisons, no I/O. cap-guard.ts leases more when memory doesn't know.
// Pure.
import { type Allowance, type OperationClass, unitsOf } from '../../ports/metering.ts';

/**
 * Whether a use is admitted. `lease`: what memory knows is too old or used up, and
 * more must be leased first. `no`: the cap is reached, or lets only through what
 * caches hold.
 */
export type Admission = 'yes' | 'lease' | 'no';

/**
 * A use that is to be admitted. `fromMemory`: nothing below the caches is needed
 * for it.
 */
export type RequestedUse = {
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
  readonly fromMemory: boolean;
};

/** Decides whether the allowances admit a use; null: memory knows none yet. */
export function admit(
  allowances: readonly Allowance[] | null,
  { operationClass, bytesOut, fromMemory }: RequestedUse,
  nowMs: number,
): Admission {
  if (operationClass === 'free') return 'yes';
  if (allowances === null) return 'lease';
  for (const allowance of allowances) {
    if (allowance.expiresAtMs <= nowMs) return 'lease';
    if (allowance.level === 'refused') return 'no';
    if (allowance.level === 'cached' && !fromMemory) return 'no';
    if (allowance.used + unitsOf(allowance, operationClass, bytesOut) > allowance.upTo)
      return 'lease';
  }
  return 'yes';
}
