// How a cap that is reached is told to whoever asks: which it is, how it ends, when to come back. Called by cap-guard.ts. Pure.
import { StorageError } from '../../ports/errors.ts';
import type { UsageOwner } from '../../ports/metering.ts';
import type { CapStanding } from './allowances.ts';
import { isFor, LEASE_MS } from './cap-leases.ts';

/**
 * What a refusal asks to wait at most, seconds: a day. A month is longer than anybody waits, and the owner may lift the cap
 * any time; the field EndsAt has the exact time.
 */
const RETRY_MAX_SECONDS = 86_400;

/** UsageCapReached or SpendingCapReached, without the numbers that are the owner's. */
export function capRefusal(
  standings: readonly CapStanding[],
  owner: UsageOwner,
  wanted: { readonly fromMemory: boolean },
  nowMs: number,
): StorageError {
  const mine = standings.filter(({ cap }) => isFor(cap.scope, owner));
  const reached =
    mine.find(({ level }) => level === 'refused') ?? mine.find(({ level }) => level === 'cached' && !wanted.fromMemory);
  const standing = reached ?? mine[0];
  if (standing === undefined) return new StorageError('UsageCapReached');
  const { cap, periodMs, level } = standing;
  const what = cap.scope.kind === 'accessKey' ? 'access key' : cap.scope.kind;
  const until = new Date(periodMs.toMs).toISOString();
  const only = level === 'cached' ? ' Until then only what caches hold is served.' : '';
  const detail = `A cap that its owner has set on this ${what} is reached. It ends at ${until}, or when the owner lifts or raises it.${only}`;
  const code = cap.unit === 'money' ? 'SpendingCapReached' : 'UsageCapReached';
  // What others have leased of a cap that is not reached comes back with their leases.
  const untilMs = reached === undefined ? Math.min(nowMs + LEASE_MS, periodMs.toMs) : periodMs.toMs;
  const RetryAfterSeconds = `${Math.min(RETRY_MAX_SECONDS, Math.max(1, Math.ceil((untilMs - nowMs) / 1000)))}`;
  return new StorageError(code, { detail, fields: { Cap: cap.id, EndsAt: until, RetryAfterSeconds } });
}
