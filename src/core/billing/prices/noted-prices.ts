// Notes prices that no call changes: the default card, which is a setting, and the
// cards that ship, which a release may change. They are noted in the running month.
// A restart with others on the first of the next therefore leaves that month as it
// was.
import type { Core } from '../../core.ts';
import { runningMonth } from '../month.ts';
import { parseRateCard, type RateCard } from './rate-card.ts';
import { rateCardJson } from './rate-card-json.ts';
import { RATE_CARDS } from './rate-cards.ts';

/** Name under which the default card is noted; no card's id has a blank. */
const DEFAULT = 'default card';

/**
 * Notes the prices of the running month, before months are closed. Cost: a
 * directory call.
 */
export async function notePrices(core: Core): Promise<void> {
  const cards = RATE_CARDS.map((card) => ({
    name: card.id,
    value: JSON.stringify(rateCardJson(card)),
  }));
  const prices = [{ name: DEFAULT, value: core.settings.rateCardId }, ...cards];
  await core.ports.directory.call('notePrices', { period: runningMonth(core), prices });
}

/**
 * The id of the default card in a month. Cost: none for the running month, else a
 * directory read.
 */
export async function defaultCardId(core: Core, period: string): Promise<string> {
  const { rateCardId } = core.settings;
  if (period >= runningMonth(core)) return rateCardId;
  const noted = await core.ports.directory.call('getNotedPrice', { name: DEFAULT, period });
  return noted ?? rateCardId;
}

/**
 * Finds a shipped card as it was in a month that is over. Cost: a directory read.
 */
export async function findShippedThen(
  core: Core,
  shipped: RateCard,
  period: string,
): Promise<RateCard> {
  const json = await core.ports.directory.call('getNotedPrice', { name: shipped.id, period });
  return json === null ? shipped : parseRateCard(JSON.parse(json));
}
