// Prices and refusals of an upload, in words.
import { bytes, count, endTime, percent, smallMoney } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import type { Price, Refusal } from './price.ts';

/** `+ $0.42 a month, 61 % of the cap`; null: nothing is known or it costs nothing. */
export function priceWords({ monthMicro, currency, capPart }: Price): string | null {
  const texts = t().upload;
  const facts: string[] = [];
  if (monthMicro !== null && monthMicro > 0) {
    facts.push(`+ ${t().units.aMonth(smallMoney(monthMicro, currency))}`);
  }
  if (capPart !== null) facts.push(texts.ofCap(percent(capPart)));
  return facts.length === 0 ? null : facts.join(texts.comma);
}

/** Why nothing is sent, and the remedy. */
export function refusalWords(refusal: Refusal): string {
  const texts = t().upload;
  if (refusal.kind === 'cap') return texts.capBreaks(refusal.id, endTime(refusal.endsAt));
  const { limit, isObjects } = refusal;
  return texts.quotaBreaks(isObjects ? t().units.objects(limit, count(limit)) : bytes(limit));
}
