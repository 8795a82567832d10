// How a cap that is reached is told to whoever asks: which it is, how it ends, when to come back.
// Called by cap-guard.ts. Pure.

import type { Cap } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import { type OperationClass, type UsageOwner, unitsOf } from '../../ports/metering.ts';
import type { CapStanding } from './allowances.ts';
import { isFor, LEASE_MS } from './cap-leases.ts';

/**
 * What a refusal asks to wait at most, seconds: a day. A month is longer than anybody waits, and
 * the owner may lift the cap any time; the field EndsAt has the exact time.
 */
const RETRY_MAX_SECONDS = 86_400;

type RefusedUse = {
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
  readonly fromMemory: boolean;
};

/**
 * UsageCapReached or SpendingCapReached, without the numbers that are the owner's. A use that is
 * larger than a whole limit is told so, and not when to come back: waiting would not help it.
 */
export function capRefusal(
  standings: readonly CapStanding[],
  owner: UsageOwner,
  wanted: RefusedUse,
  nowMs: number,
): StorageError {
  const mine = standings.filter(({ cap }) => isFor(cap.scope, owner));
  const reached =
    mine.find(({ level }) => level === 'refused') ??
    mine.find(({ level }) => level === 'cached' && !wanted.fromMemory);
  const oversized = mine.find((standing) => isAboveLimit(standing, wanted));
  if (oversized !== undefined) {
    const { cap } = oversized;
    const detail = `This alone is more than the whole cap that its owner has set on this ${nameOf(cap)}. Waiting does not help, only a higher cap.`;
    return new StorageError(codeOf(cap), { detail, fields: { Cap: cap.id } });
  }
  const standing = reached ?? mine[0];
  if (standing === undefined) return new StorageError('UsageCapReached');
  const { cap, periodMs, level } = standing;
  const what = nameOf(cap);
  const until = new Date(periodMs.toMs).toISOString();
  const only = level === 'cached' ? ' Until then only what caches hold is served.' : '';
  const cause =
    reached === undefined
      ? `What is left of a cap that its owner has set on this ${what} is less than this needs; smaller ones may still pass. The cap`
      : `A cap that its owner has set on this ${what} is reached. It`;
  const detail = `${cause} ends at ${until}, or when the owner lifts or raises it.${only}`;
  // What others have leased of a cap that is not reached comes back with their leases.
  const untilMs = reached === undefined ? Math.min(nowMs + LEASE_MS, periodMs.toMs) : periodMs.toMs;
  const RetryAfterSeconds = `${Math.min(RETRY_MAX_SECONDS, Math.max(1, Math.ceil((untilMs - nowMs) / 1000)))}`;
  return new StorageError(codeOf(cap), {
    detail,
    fields: { Cap: cap.id, EndsAt: until, RetryAfterSeconds },
  });
}

/**
 * SpendingCapReached, for what would be stored. When to come back nobody knows: deleting helps,
 * time costs.
 */
export function storageRefusal({ cap, periodMs }: CapStanding): StorageError {
  const until = new Date(periodMs.toMs).toISOString();
  const detail = `Storing this until ${until}, beside what is stored, would pass a cap that its owner has set on this ${nameOf(cap)}. Delete something, or have it raised.`;
  return new StorageError('SpendingCapReached', { detail, fields: { Cap: cap.id, EndsAt: until } });
}

const nameOf = ({ scope }: Cap) => (scope.kind === 'accessKey' ? 'access key' : scope.kind);
const codeOf = ({ unit }: Cap) => (unit === 'money' ? 'SpendingCapReached' : 'UsageCapReached');

function isAboveLimit(
  { cap, isLifted, prices }: CapStanding,
  { operationClass, bytesOut }: RefusedUse,
): boolean {
  return !isLifted && unitsOf(prices, operationClass, bytesOut) > Number(cap.limit);
}
