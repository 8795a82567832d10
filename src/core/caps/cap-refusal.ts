// The error of a use that a cap refuses: which cap it is, how it ends, when to
// retry. Called by cap-guard.ts. Pure; it shows no number that is the owner's.

import type { Cap, CapStanding } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import { type UsageOwner, unitsOf } from '../../ports/metering.ts';
import type { RequestedUse } from './admit.ts';
import { isFor } from './cap-scope.ts';

/**
 * Largest Retry-After of a refusal, seconds: a day. A month is longer than anybody
 * waits, and the owner may lift the cap any time; the field EndsAt has the exact
 * time.
 */
const RETRY_MAX_SECONDS = 86_400;

/**
 * Within which responses of this process may give back what they reserve,
 * milliseconds.
 */
const OWN_USES_MS = 60_000;

/**
 * Makes the refusal of a use: UsageCapReached or SpendingCapReached. A use that is
 * larger than a whole limit gets no Retry-After, because waiting would not help it.
 */
export function capRefusal(
  standings: readonly CapStanding[],
  owner: UsageOwner,
  use: RequestedUse,
  nowMs: number,
): StorageError {
  const mine = standings.filter(({ cap }) => isFor(cap.scope, owner));
  const oversized = mine.find((standing) => isAboveLimit(standing, use));
  if (oversized !== undefined) return oversizedRefusal(oversized.cap);

  const reached =
    mine.find(({ level }) => level === 'refused') ??
    mine.find(({ level }) => level === 'cached' && !use.fromMemory);
  if (reached !== undefined) return reachedRefusal(reached, nowMs);
  return mine[0] === undefined ? new StorageError('UsageCapReached') : tooLittle(mine[0], nowMs);
}

function oversizedRefusal(cap: Cap): StorageError {
  return new StorageError(codeOf(cap), {
    detail:
      `This alone is more than the whole cap that its owner has set on this ${nameOf(cap)}. ` +
      'Waiting does not help, only a higher cap.',
    fields: { Cap: cap.id },
  });
}

function reachedRefusal(standing: CapStanding, nowMs: number): StorageError {
  const { cap, periodMs } = standing;
  const beginning = `A cap that its owner has set on this ${nameOf(cap)} is reached. It`;
  return endingRefusal(standing, beginning, periodMs.toMs - nowMs);
}

/**
 * The refusal where a cap is not reached, but what is left of it is less than the
 * use needs.
 */
function tooLittle(standing: CapStanding, nowMs: number): StorageError {
  const { cap, periodMs, othersUntilMs } = standing;
  const beginning =
    `What is left of a cap that its owner has set on this ${nameOf(cap)} is less than this ` +
    'needs; smaller ones may still pass. The cap';
  // What other processes have leased comes back with their leases.
  const backMs = othersUntilMs > nowMs ? othersUntilMs - nowMs : OWN_USES_MS;
  return endingRefusal(standing, beginning, Math.min(backMs, periodMs.toMs - nowMs));
}

function endingRefusal(
  { cap, periodMs, level }: CapStanding,
  beginning: string,
  waitMs: number,
): StorageError {
  const until = new Date(periodMs.toMs).toISOString();
  const cachesOnly = level === 'cached' ? ' Until then only what caches hold is served.' : '';
  const waitSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new StorageError(codeOf(cap), {
    detail: `${beginning} ends at ${until}, or when the owner lifts or raises it.${cachesOnly}`,
    fields: {
      Cap: cap.id,
      EndsAt: until,
      RetryAfterSeconds: `${Math.min(RETRY_MAX_SECONDS, waitSeconds)}`,
    },
  });
}

/**
 * Makes the refusal of an upload: SpendingCapReached for what it would store. It
 * has no Retry-After, because deleting helps and waiting does not.
 */
export function storageRefusal({ cap, periodMs }: CapStanding): StorageError {
  const until = new Date(periodMs.toMs).toISOString();
  return new StorageError('SpendingCapReached', {
    detail:
      `Storing this until ${until}, beside what is stored, would pass a cap that its owner has ` +
      `set on this ${nameOf(cap)}. Delete something, or have it raised.`,
    fields: { Cap: cap.id, EndsAt: until },
  });
}

const nameOf = ({ scope }: Cap) => (scope.kind === 'accessKey' ? 'access key' : scope.kind);
const codeOf = ({ unit }: Cap) => (unit === 'money' ? 'SpendingCapReached' : 'UsageCapReached');

function isAboveLimit(
  { cap, isLifted, prices }: CapStanding,
  { operationClass, bytesOut }: RequestedUse,
): boolean {
  return !isLifted && unitsOf(prices, operationClass, bytesOut) > Number(cap.limit);
}
