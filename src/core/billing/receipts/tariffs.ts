// A cache of the card that prices an account's requests as they happen, with a TTL
// of some seconds: a receipt costs no look-up of its own. Bills call
// account-card.ts, which caches nothing.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { Tariff } from '../../../domain/billing/receipts.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { type BillingMonth, monthText } from '../month.ts';
import { findAccountCard } from '../prices/account-card.ts';
import { rateCardJson } from '../prices/rate-card-json.ts';

/** TTL of a cached card, milliseconds: that of an access key. */
const TTL_MS = 5_000;
/** Accounts in the cache; with more, it is emptied. A card is some KB. */
const ACCOUNTS_MAX = 1_000;
/**
 * Hex digits of a version's digest: two versions of a card share them in one of
 * 2^48 cases.
 */
const VERSION_LENGTH = 12;

export type FindTariff = (accountId: AccountId, month: BillingMonth) => Promise<Tariff>;

/**
 * Makes the cached look-up of the tariff that prices a request. It fails as
 * findAccountCard does. Cost: one or two directory reads, once in TTL_MS.
 */
export function createTariffFinder(core: Core): FindTariff {
  const cache = new Map<string, { readonly tariff: Tariff; readonly expiresAtMs: number }>();
  return async (accountId, month) => {
    const { clock } = core.ports;
    const period = monthText(month);
    const cacheKey = `${period} ${accountId}`;
    const entry = cache.get(cacheKey);
    if (entry !== undefined && entry.expiresAtMs > clock.nowMs()) return entry.tariff;

    const tariff = tariffOf(await findAccountCard(core, accountId, period));
    if (cache.size >= ACCOUNTS_MAX) cache.clear();
    cache.set(cacheKey, { tariff, expiresAtMs: clock.nowMs() + TTL_MS });
    return tariff;
  };
}

/** A card with its version, the digest of all that it says. */
export function tariffOf(card: Tariff['card']): Tariff {
  return { card, version: sha256Hex(JSON.stringify(rateCardJson(card))).slice(0, VERSION_LENGTH) };
}
