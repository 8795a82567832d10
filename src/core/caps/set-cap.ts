// What an owner does with caps: sets, lifts for a time, removes and lists them.
// Every bucket that a cap is on has a mark in its record, which travels in its read
// policy. Only where the mark is set do requests go through cap-guard.ts.

import type { Cap, CapScope, CapStanding } from '../../domain/billing/caps.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { nameOfBucketId } from '../../domain/owner-bucket.ts';
import { findAccountCard, findRateCard, findReadableCard } from '../billing/prices/account-card.ts';
import { rateCardJson } from '../billing/prices/rate-card-json.ts';
import { RATE_CARDS } from '../billing/prices/rate-cards.ts';
import type { Core } from '../core.ts';
import { ownBucketNames, withOwnBucket } from '../opened-bucket/own-buckets.ts';
import { standingsOf } from './allowances.ts';

/** Holder under which no quota lease is ever taken. */
const NOBODY = 'nobody';

/**
 * Sets a cap, or changes the one of that id. `check` gets that one (null: there is
 * none), and throws where the caller meant another. `readerId`: who sets it, and
 * may name the cards that it can read. A cap in money without a card takes the
 * account's, as it is now. It holds at once on Node, elsewhere within seconds; what
 * is leased by then may still be used. InvalidArgument; PreconditionFailed when it
 * changes meanwhile; InvalidRequest when there are too many. Cost: a commit for
 * each bucket it is on.
 */
export async function setCap(
  core: Core,
  accountId: AccountId,
  request: Cap,
  check: (known: Cap | null) => void = () => undefined,
  readerId: AccountId = accountId,
): Promise<Cap> {
  requireValid(request);
  const caps = await core.ports.ledger.call('listCaps', { accountId });
  const known = caps.find(({ id }) => id === request.id) ?? null;
  check(known);

  const card = await findCard(core, { accountId, readerId }, request, known);
  const cap = { ...request, ...card };
  await core.ports.ledger.call('putCap', { accountId, cap, known });
  core.ports.meter.forgetAllowances(accountId);
  await markBuckets(core, accountId, await scopesOf(core, accountId), cap.scope);
  return cap;
}

/** Removes a cap, and returns whether there was one. */
export async function removeCap(core: Core, accountId: AccountId, id: string): Promise<boolean> {
  const caps = await core.ports.ledger.call('listCaps', { accountId });
  const cap = caps.find((known) => known.id === id);
  if (cap === undefined) return false;
  await core.ports.ledger.call('deleteCap', { accountId, id });
  core.ports.meter.forgetAllowances(accountId);
  await markBuckets(core, accountId, await scopesOf(core, accountId), cap.scope);
  return true;
}

/**
 * Lists the caps of an account and how they stand, by what is recorded by now.
 * Unused leases of processes are not spent, so they do not count here. Cost: one
 * call to the ledger.
 */
export async function listCaps(core: Core, accountId: AccountId): Promise<readonly CapStanding[]> {
  const nowMs = core.ports.clock.nowMs();
  const caps = await core.ports.ledger.call('readCaps', {
    accountId,
    holder: NOBODY,
    nowMs,
  });
  const withoutLeases = caps.map((state) => ({ ...state, leasedToOthers: 0 }));
  return standingsOf(withoutLeases, nowMs);
}

/** Whether a new bucket of the account is capped from the start. */
export async function isCappedFromStart(core: Core, accountId: AccountId): Promise<boolean> {
  return (await scopesOf(core, accountId)).some(({ kind }) => kind !== 'bucket');
}

async function scopesOf(core: Core, accountId: AccountId): Promise<readonly CapScope[]> {
  return (await core.ports.ledger.call('listCaps', { accountId })).map((cap) => cap.scope);
}

/**
 * Finds the card that prices a cap. A card of the operator's is stored in the cap,
 * so that pricing looks nothing up. InvalidArgument.
 */
async function findCard(
  core: Core,
  { accountId, readerId }: { readonly accountId: AccountId; readonly readerId: AccountId },
  { unit, cardId }: Cap,
  known: Cap | null,
): Promise<Pick<Cap, 'cardId' | 'card'>> {
  if (unit === 'bytes') return { cardId: null, card: null };
  const card = await findNamedCard();
  if (card === null)
    throw new StorageError('InvalidArgument', { detail: 'There is no such rate card.' });
  return { cardId: card.id, card: RATE_CARDS.includes(card) ? null : rateCardJson(card) };

  function findNamedCard() {
    if (cardId === null) return findAccountCard(core, accountId);
    // The cap may keep the card that it has, also when the account has another by
    // now.
    return cardId === known?.cardId
      ? findRateCard(core, cardId)
      : findReadableCard(core, readerId, cardId);
  }
}

/** Alerts of one cap. Ours. */
const ALERTS_MAX = 10;

function requireValid(cap: Cap): void {
  const mistake = mistakeOf(cap);
  if (mistake !== null) throw new StorageError('InvalidArgument', { detail: mistake });
}

/** What is wrong with a cap, as a sentence; null: nothing. */
function mistakeOf({ id, limit, alertPercents, cachedFromPercent }: Cap): string | null {
  const isPercent = (value: number) => Number.isInteger(value) && value >= 1 && value <= 100;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return 'id: letters, digits, _ and -, at most 64.';
  if (limit < 1n || limit > BigInt(Number.MAX_SAFE_INTEGER))
    return 'limit: a whole number from 1 to 2^53 - 1.';
  if (alertPercents.length > ALERTS_MAX || !alertPercents.every(isPercent))
    return 'alertPercents: at most 10 whole numbers from 1 to 100.';
  if (cachedFromPercent !== null && !isPercent(cachedFromPercent))
    return 'cachedFromPercent: a whole number from 1 to 100.';
  return null;
}

/**
 * Marks the buckets of the changed scope, or takes the mark off where no cap is
 * left.
 */
async function markBuckets(
  core: Core,
  accountId: AccountId,
  scopes: readonly CapScope[],
  changed: CapScope,
): Promise<void> {
  const isAll = scopes.some(({ kind }) => kind !== 'bucket');
  const capped = new Set(
    scopes.flatMap((scope) => (scope.kind === 'bucket' ? [nameOfBucketId(scope.bucketId)] : [])),
  );
  if (changed.kind === 'bucket') {
    const name = nameOfBucketId(changed.bucketId);
    return markBucket(core, accountId, name, isAll || capped.has(name));
  }
  for await (const name of ownBucketNames(core, accountId))
    await markBucket(core, accountId, name, isAll || capped.has(name));
}

/**
 * Sets the mark of a bucket of the account, or takes it off. Does nothing when
 * there is no such bucket. Cost: a commit where it changes.
 */
export async function markBucket(
  core: Core,
  accountId: AccountId,
  name: BucketName,
  isCapped: boolean,
): Promise<void> {
  await withOwnBucket(core, accountId, name, async (bucket) => {
    if ((bucket.record().settings.isCapped === true) === isCapped) return;
    await bucket.call('setBucketSettings', { settings: { isCapped: isCapped ? true : null } });
  });
}
