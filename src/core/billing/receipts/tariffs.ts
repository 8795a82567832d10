// By which card an account's requests are priced as they happen, remembered for some seconds so
// that a receipt costs no look-up of its own. Bills ask account-card.ts, which remembers nothing.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { Tariff } from '../../../domain/billing/receipts.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { type BillingMonth, monthText } from '../month.ts';
import { findAccountCard } from '../prices/account-card.ts';
import { rateCardJson } from '../prices/rate-card-json.ts';

/** For so long a card is believed, milliseconds: as long as an access key is. */
const FRESH_MS = 5_000;
/** Accounts remembered; with more, all are forgotten. A card is some KB. */
const ACCOUNTS_MAX = 1_000;
/** Hex digits of the digest: two versions of one card share them in one of 2^48 cases. */
const VERSION_LENGTH = 12;

export type FindTariff = (accountId: AccountId, month: BillingMonth) => Promise<Tariff>;

/**
 * Makes the look-up of what prices a request of that month. It fails as findAccountCard does. Cost:
 * one or two directory reads, once in some seconds.
 */
export function createTariffFinder(core: Core): FindTariff {
  const known = new Map<string, { readonly tariff: Tariff; readonly untilMs: number }>();
  return async (accountId, month) => {
    const { clock } = core.ports;
    const period = monthText(month);
    const name = `${period} ${accountId}`;
    const kept = known.get(name);
    if (kept !== undefined && kept.untilMs > clock.nowMs()) return kept.tariff;
    const tariff = tariffOf(await findAccountCard(core, accountId, period));
    if (known.size >= ACCOUNTS_MAX) known.clear();
    known.set(name, { tariff, untilMs: clock.nowMs() + FRESH_MS });
    return tariff;
  };
}

/** The card with the digest of all that it says. */
export function tariffOf(card: Tariff['card']): Tariff {
  return { card, version: sha256Hex(JSON.stringify(rateCardJson(card))).slice(0, VERSION_LENGTH) };
}
