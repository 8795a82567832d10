// Prices that no call changes: the default card, which is a setting, and the cards that ship, which
// a release may change. What they are is noted in the month that runs, so that a restart with
// others on the first leaves the month before as it was.
import type { Core } from '../../core.ts';
import { runningMonth } from '../month.ts';
import { parseRateCard, type RateCard } from './rate-card.ts';
import { rateCardJson } from './rate-card-json.ts';
import { RATE_CARDS } from './rate-cards.ts';

/** No card has this name: its id would have no blank. */
const DEFAULT = 'default card';

/** Called before months are closed, by the scheduled work. Cost: a directory call. */
export async function notePrices(core: Core): Promise<void> {
  const cards = RATE_CARDS.map((card) => ({
    name: card.id,
    value: JSON.stringify(rateCardJson(card)),
  }));
  const prices = [{ name: DEFAULT, value: core.settings.rateCardId }, ...cards];
  await core.ports.directory.call('notePrices', { period: runningMonth(core), prices });
}

/**
 * The id of the default card in a month. Cost: none for the month that runs, else a directory read.
 */
export async function defaultCardId(core: Core, period: string): Promise<string> {
  const { rateCardId } = core.settings;
  if (period >= runningMonth(core)) return rateCardId;
  return (
    (await core.ports.directory.call('getNotedPrice', { name: DEFAULT, period })) ?? rateCardId
  );
}

/** A card that ships as it was in a month that is over. Cost: a directory read. */
export async function findShippedThen(
  core: Core,
  shipped: RateCard,
  period: string,
): Promise<RateCard> {
  const json = await core.ports.directory.call('getNotedPrice', { name: shipped.id, period });
  return json === null ? shipped : parseRateCard(JSON.parse(json));
}
