// What an owner does with caps: sets them, which is also how one is lifted for a time, removes and
// looks at them. Every bucket that a cap is on has a mark in its record, which travels in its read policy:
// only where it is set do readers ask the guard at all.

import type { Cap, CapScope } from '../../domain/billing/caps.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { findAccountCard, findRateCard, findReadableCard } from '../billing/prices/account-card.ts';
import { rateCardJson } from '../billing/prices/rate-card-json.ts';
import { RATE_CARDS } from '../billing/prices/rate-cards.ts';
import { openBucket } from '../buckets/bucket-handle.ts';
import { nameOfBucketId } from '../buckets/owner-bucket.ts';
import type { Core } from '../core.ts';
import { type CapStanding, standingsOf } from './allowances.ts';

/** Buckets of an account that are read at once. */
const PAGE = 500;
/** Nobody holds a lease under this name. */
const NOBODY = 'nobody';

/**
 * Sets a cap, or changes the one of that id. `check` sees that one (null: there is none), and
 * throws where it is not what was meant. `readerId`: who sets it, and may name the cards that it
 * can read. InvalidArgument; PreconditionFailed when it changes meanwhile; InvalidRequest when
 * there are too many. Heard at once on Node, elsewhere within seconds; what is leased by then may
 * still be used. A cap in money without a card takes the account's, as it is now. Cost: a commit
 * for each bucket it is on.
 */
export async function setCap(
  core: Core,
  accountId: AccountId,
  wanted: Cap,
  check: (known: Cap | null) => void = () => undefined,
  readerId: AccountId = accountId,
): Promise<Cap> {
  requireSense(wanted);
  const caps = await core.ports.ledger.call('listCaps', { accountId });
  const known = caps.find(({ id }) => id === wanted.id) ?? null;
  check(known);
  const cap = { ...wanted, ...(await findCard(core, { accountId, readerId }, wanted, known)) };
  await core.ports.ledger.call('putCap', { accountId, cap, known });
  core.ports.meter.forgetAllowances(accountId);
  await markBuckets(core, accountId, await scopesOf(core, accountId), cap.scope);
  return cap;
}

/** Removes it. Whether there was one. */
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
 * The caps of an account and how they stand: what is recorded by now. What processes have leased
 * and not used is not spent, so it is left out of account: a cap stands as refused when it is.
 * Cost: one call to the ledger.
 */
export async function listCaps(core: Core, accountId: AccountId): Promise<readonly CapStanding[]> {
  const nowMs = core.ports.clock.nowMs();
  const { revision, caps } = await core.ports.ledger.call('readCaps', {
    accountId,
    holder: NOBODY,
    nowMs,
  });
  return standingsOf(
    { revision, caps: caps.map((state) => ({ ...state, leasedToOthers: 0 })) },
    nowMs,
  );
}

/** Whether a new bucket of the account is capped from the start. */
export async function isCappedFromStart(core: Core, accountId: AccountId): Promise<boolean> {
  return (await scopesOf(core, accountId)).some(({ kind }) => kind !== 'bucket');
}

async function scopesOf(core: Core, accountId: AccountId): Promise<readonly CapScope[]> {
  return (await core.ports.ledger.call('listCaps', { accountId })).map((cap) => cap.scope);
}

/**
 * What the cap is reckoned by, with all that pricing needs, so that nothing is looked up then.
 * InvalidArgument.
 */
async function findCard(
  core: Core,
  { accountId, readerId }: { readonly accountId: AccountId; readonly readerId: AccountId },
  { unit, cardId }: Cap,
  known: Cap | null,
): Promise<Pick<Cap, 'cardId' | 'card'>> {
  if (unit === 'bytes') return { cardId: null, card: null };
  const card = await namedCard();
  if (card === null)
    throw new StorageError('InvalidArgument', { detail: 'There is no such rate card.' });
  return { cardId: card.id, card: RATE_CARDS.includes(card) ? null : rateCardJson(card) };

  function namedCard() {
    if (cardId === null) return findAccountCard(core, accountId);
    // The cap may keep the card that it has, also when the account has another by now.
    return cardId === known?.cardId
      ? findRateCard(core, cardId)
      : findReadableCard(core, readerId, cardId);
  }
}

function requireSense({ id, limit, alertPercents, cachedFromPercent }: Cap): void {
  const isPercent = (value: number) => Number.isInteger(value) && value >= 1 && value <= 100;
  const wrong = !/^[a-zA-Z0-9_-]{1,64}$/.test(id)
    ? 'id: letters, digits, _ and -, at most 64.'
    : limit < 1n || limit > BigInt(Number.MAX_SAFE_INTEGER)
      ? 'limit: a whole number from 1 to 2^53 - 1.'
      : alertPercents.length > 10 || !alertPercents.every(isPercent)
        ? 'alertPercents: at most 10 whole numbers from 1 to 100.'
        : cachedFromPercent !== null && !isPercent(cachedFromPercent)
          ? 'cachedFromPercent: a whole number from 1 to 100.'
          : null;
  if (wrong !== null) throw new StorageError('InvalidArgument', { detail: wrong });
}

/** Marks what the changed scope is about, or takes the mark off where no cap is left. */
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
  for (let after = ''; ; ) {
    const page = await core.ports.directory.call('listBuckets', {
      ownerId: accountId,
      prefix: '',
      after,
      limit: PAGE,
    });
    for (const { name } of page) await markBucket(core, accountId, name, isAll || capped.has(name));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.name;
  }
}

/**
 * Sets the mark of a bucket of the account, or takes it off. Nothing when there is no such bucket.
 * Cost: a commit where it changes.
 */
export async function markBucket(
  core: Core,
  accountId: AccountId,
  name: BucketName,
  isCapped: boolean,
): Promise<void> {
  try {
    const bucket = await openBucket(core, name, (record) => {
      if (record.ownerId !== accountId) throw new StorageError('NoSuchBucket');
    });
    if ((bucket.record().settings.isCapped === true) === isCapped) return;
    await bucket.call('setBucketSettings', { settings: { isCapped: isCapped ? true : null } });
  } catch (error) {
    // It went meanwhile, or is the trace of an interrupted create.
    if (!hasCode(error, 'NoSuchBucket')) throw error;
  }
}
