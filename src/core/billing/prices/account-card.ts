// Which rate card prices a month of an account: the one that the operator gave it,
// else the server's default. Cards ship with Quayside or are the operator's, which
// can't take the id of a shipped one. Both have versions, each from a month on, so
// that a change leaves the months before as they were
// (docs/adr/0035-prices-have-a-beginning.md).

import type { CardChoice } from '../../../domain/billing/billing.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../domain/root-account.ts';
import type { Core } from '../../core.ts';
import { BLOCKED } from '../../metering/usage.ts';
import { runningMonth } from '../month.ts';
import { defaultCardId, findShippedThen } from './noted-prices.ts';
import { parseRateCard, type RateCard, RateCardError } from './rate-card.ts';
import { rateCardJson } from './rate-card-json.ts';
import { RATE_CARDS } from './rate-cards.ts';

/**
 * Finds the version of a card that prices a month, the running one by default;
 * null: there is no such card. Cost: none for a shipped card in the running month,
 * else one or two directory reads.
 */
export async function findRateCard(
  core: Core,
  id: string,
  period: string = runningMonth(core),
): Promise<RateCard | null> {
  const shipped = RATE_CARDS.find((card) => card.id === id);
  if (shipped !== undefined)
    return period < runningMonth(core) ? findShippedThen(core, shipped, period) : shipped;
  const json = await core.ports.directory.call('getRateCard', { id, period });
  return json === null ? null : withoutBlocked(parseRateCard(JSON.parse(json)));
}

/**
 * Removes the price of refused requests, which old cards may have and no bill uses.
 */
function withoutBlocked(card: RateCard): RateCard {
  if (!card.lines.some(({ meters }) => meters.includes(BLOCKED))) return card;
  const lines = card.lines.map((line) => {
    const meters = line.meters.filter((meter) => meter !== BLOCKED);
    return meters.length > 0
      ? { ...line, meters }
      : { ...line, tiers: [{ upTo: null, price: 0n }] };
  });
  return { ...card, lines };
}

/**
 * The id of the card that these choices make for a month; null: the server's
 * default.
 */
export function choiceAt(choices: readonly CardChoice[], period: string): string | null {
  return choices.findLast(({ validFrom }) => validFrom <= period)?.cardId ?? null;
}

/**
 * Finds the card that prices a month of an account with these choices.
 * ServiceUnavailable when there is none of that id, which an operator can mend.
 */
export async function rateCardOf(
  core: Core,
  choices: readonly CardChoice[],
  period: string,
): Promise<RateCard> {
  const id = choiceAt(choices, period) ?? (await defaultCardId(core, period));
  const card = await findRateCard(core, id, period);
  if (card !== null) return card;
  throw new StorageError('ServiceUnavailable', {
    detail:
      `There is no rate card ${id}, which prices this: the operator makes it, ` +
      'or sets QUAYSIDE_RATE_CARD to one that there is.',
  });
}

/**
 * Finds the card that prices a month of an account, the running one by default.
 * Cost: one to three directory reads.
 */
export async function findAccountCard(
  core: Core,
  accountId: AccountId,
  period: string = runningMonth(core),
): Promise<RateCard> {
  const { cards } = await core.ports.directory.call('getAccountBilling', { accountId });
  return rateCardOf(core, cards, period);
}

/**
 * Finds the version of a card that prices a month, if `readerId` may know its
 * prices; null otherwise. An account may read cards that ship, and those that it
 * has, had or will have; the operator any. What others have agreed on with the
 * operator is theirs. Cost: at most four directory reads.
 */
export async function findReadableCard(
  core: Core,
  readerId: AccountId,
  id: string,
  period: string = runningMonth(core),
): Promise<RateCard | null> {
  const card = await findRateCard(core, id, period);
  if (card === null || isShipped(id) || readerId === ROOT_ACCOUNT.id) return card;

  const { cards } = await core.ports.directory.call('getAccountBilling', { accountId: readerId });
  if (cards.some(({ cardId }) => cardId === id)) return card;
  const isDefault = choiceAt(cards, period) === null && (await defaultCardId(core, period)) === id;
  return isDefault ? card : null;
}

/** Whether a card ships under this id, which the operator then can't take. */
export const isShipped = (id: string): boolean => RATE_CARDS.some((card) => card.id === id);

/**
 * Lists the operator's cards that `readerId` may read, after an id and in the order
 * of ids.
 */
export async function listReadableCards(
  core: Core,
  readerId: AccountId,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly RateCard[]> {
  if (readerId === ROOT_ACCOUNT.id) {
    const cards = await core.ports.directory.call('listRateCards', {
      after,
      limit,
      period: runningMonth(core),
    });
    return cards.map((json) => parseRateCard(JSON.parse(json)));
  }
  const own = await findAccountCard(core, readerId);
  return isShipped(own.id) || own.id <= after ? [] : [own];
}

/**
 * Stores a card of the operator's, or a version of one. It prices months from its
 * `validFrom` on, by default the running one. `check` gets the version that prices
 * that month now (null: there is none), and throws where the caller meant another.
 * InvalidInput for JSON that is no card, for the id of a shipped one, and for
 * months that are over; PreconditionFailed when it changes meanwhile.
 */
export async function putRateCard(
  core: Core,
  id: string,
  json: unknown,
  check: (known: RateCard | null) => void = () => undefined,
): Promise<RateCard> {
  const newCard = readCard(json);
  if (newCard.id !== id)
    throw new StorageError('InvalidInput', {
      detail: `The card says that its id is ${newCard.id}.`,
    });
  if (isShipped(id)) {
    throw new StorageError('InvalidInput', {
      detail: `The card ${id} ships with Quayside; take another id.`,
    });
  }

  const { directory } = core.ports;
  const validFrom = newCard.validFrom ?? runningMonth(core);
  const card = { ...newCard, validFrom };
  const version = JSON.stringify(rateCardJson(card));
  const known = await directory.call('getRateCard', { id, period: validFrom });
  check(known === null ? null : withoutBlocked(parseRateCard(JSON.parse(known))));
  if (known === version) return card;

  requireOpen(core, validFrom);
  await directory.call('putRateCard', { id, validFrom, json: version, known });
  return card;
}

/**
 * Refuses prices from a month that is over, whose usage keeps the prices it had.
 * InvalidInput.
 */
function requireOpen(core: Core, validFrom: string): void {
  if (validFrom >= runningMonth(core)) return;
  throw new StorageError('InvalidInput', {
    detail:
      `${validFrom} is over: validFrom is the month that runs or one to come; ` +
      'left out, it is the one that runs.',
  });
}

function readCard(json: unknown): RateCard {
  try {
    const card = parseRateCard(json);
    if (!card.lines.some(({ meters }) => meters.includes(BLOCKED))) return card;
    throw new RateCardError(`No card prices ${BLOCKED}: an account can't help what strangers try.`);
  } catch (error) {
    if (error instanceof RateCardError)
      throw new StorageError('InvalidInput', { detail: error.message });
    throw error;
  }
}

export type ChoiceOptions = {
  readonly validFrom?: string | undefined;
  readonly check?: (known: readonly CardChoice[]) => void;
};

/**
 * Gives an account a card from a month on, by default the running one; null is the
 * server's default. `check` gets the choices so far, and throws where the caller
 * meant others. NoSuchRateCard; InvalidInput for a month that is over;
 * PreconditionFailed when another choice is made meanwhile.
 */
export async function setAccountCard(
  core: Core,
  accountId: AccountId,
  cardId: string | null,
  { validFrom = runningMonth(core), check = () => undefined }: ChoiceOptions = {},
): Promise<{ readonly card: RateCard; readonly choices: readonly CardChoice[] }> {
  const { cards: known } = await core.ports.directory.call('getAccountBilling', { accountId });
  check(known);
  requireOpen(core, validFrom);
  if (cardId !== null && (await findRateCard(core, cardId)) === null)
    throw new StorageError('NoSuchRateCard');
  const choice = { validFrom, cardId };
  const choices = await core.ports.directory.call('setAccountCard', { accountId, choice, known });
  return { card: await rateCardOf(core, choices, validFrom), choices };
}
