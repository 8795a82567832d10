// Which prices an account has: a card of its own choice of the operator, else the server's default. Cards are those that
// ship with Quayside and those that the operator wrote, which can't take the name of a shipped one.
import type { AccountId } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { ROOT_ACCOUNT } from '../auth/root-account.ts';
import type { Core } from '../core.ts';
import { parseRateCard, type RateCard, RateCardError } from './rate-card.ts';
import { rateCardJson } from './rate-card-json.ts';
import { RATE_CARDS } from './rate-cards.ts';
import { BLOCKED } from './usage.ts';

/** The card of that id; null: there is none. Cost: none for a shipped card, else one directory read. */
export async function findRateCard(core: Core, id: string): Promise<RateCard | null> {
  const shipped = RATE_CARDS.find((card) => card.id === id);
  if (shipped !== undefined) return shipped;
  const json = await core.ports.directory.call('getRateCard', { id });
  return json === null ? null : withoutBlocked(parseRateCard(JSON.parse(json)));
}

/** Cards of old could price what strangers are refused; new bills go by what is left of them. */
function withoutBlocked(card: RateCard): RateCard {
  if (!card.lines.some(({ meters }) => meters.includes(BLOCKED))) return card;
  const lines = card.lines.map((line) => {
    const meters = line.meters.filter((meter) => meter !== BLOCKED);
    return meters.length > 0 ? { ...line, meters } : { ...line, tiers: [{ upTo: null, price: 0n }] };
  });
  return { ...card, lines };
}

/** The card that an account with this choice has; null: the server's. InternalError when there is none of that id. */
export async function rateCardOf(core: Core, cardId: string | null): Promise<RateCard> {
  const id = cardId ?? core.settings.rateCardId;
  const card = await findRateCard(core, id);
  if (card !== null) return card;
  throw new StorageError('InternalError', { detail: `There is no rate card ${id}.` });
}

/** The card of an account. Cost: one or two directory reads. */
export async function findAccountCard(core: Core, accountId: AccountId): Promise<RateCard> {
  const { cardId } = await core.ports.directory.call('getAccountBilling', { accountId });
  return rateCardOf(core, cardId);
}

/**
 * The card of that id, if it is one that `readerId` may know the prices of: those that ship, its
 * own, for the operator all. What others have agreed on with the operator is theirs. Null: there is
 * none for it. Cost: at most two directory reads.
 */
export async function findReadableCard(core: Core, readerId: AccountId, id: string): Promise<RateCard | null> {
  const card = await findRateCard(core, id);
  if (card === null || RATE_CARDS.includes(card) || readerId === ROOT_ACCOUNT.id) return card;
  const own = await findAccountCard(core, readerId);
  return own.id === id ? own : null;
}

/** The operator's cards that `readerId` may read, in the order of their ids, after that one. */
export async function listReadableCards(
  core: Core,
  readerId: AccountId,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly RateCard[]> {
  if (readerId === ROOT_ACCOUNT.id) {
    const cards = await core.ports.directory.call('listRateCards', { after, limit });
    return cards.map((json) => parseRateCard(JSON.parse(json)));
  }
  const own = await findAccountCard(core, readerId);
  return RATE_CARDS.includes(own) || own.id <= after ? [] : [own];
}

/**
 * Makes or replaces a card of the operator's. `check` sees the one that there is (null: none), and throws where it is not
 * what was meant. InvalidInput for JSON that is no card, and for the id of a shipped one; PreconditionFailed when it
 * changes meanwhile.
 */
export async function putRateCard(
  core: Core,
  id: string,
  json: unknown,
  check: (known: RateCard | null) => void = () => undefined,
): Promise<RateCard> {
  const card = readCard(json);
  if (card.id !== id) throw new StorageError('InvalidInput', { detail: `The card says that its id is ${card.id}.` });
  if (RATE_CARDS.some((shipped) => shipped.id === id)) {
    throw new StorageError('InvalidInput', { detail: `The card ${id} ships with Quayside; take another id.` });
  }
  const { directory } = core.ports;
  const known = await directory.call('getRateCard', { id });
  check(known === null ? null : parseRateCard(JSON.parse(known)));
  await directory.call('putRateCard', { id, json: JSON.stringify(rateCardJson(card)), known });
  return card;
}

function readCard(json: unknown): RateCard {
  try {
    const card = parseRateCard(json);
    if (!card.lines.some(({ meters }) => meters.includes(BLOCKED))) return card;
    throw new RateCardError(`No card prices ${BLOCKED}: an account can't help what strangers try.`);
  } catch (error) {
    if (error instanceof RateCardError) throw new StorageError('InvalidInput', { detail: error.message });
    throw error;
  }
}

/**
 * Gives an account that card, from the open month on; null is the server's default. `check` sees the id of the one that it
 * has, and throws where it is not what was meant. NoSuchRateCard; PreconditionFailed when it is given another meanwhile.
 */
export async function setAccountCard(
  core: Core,
  accountId: AccountId,
  cardId: string | null,
  check: (known: string | null) => void = () => undefined,
): Promise<RateCard> {
  const { cardId: known } = await core.ports.directory.call('getAccountBilling', { accountId });
  check(known);
  const card = cardId === null ? null : await findRateCard(core, cardId);
  if (cardId !== null && card === null) throw new StorageError('NoSuchRateCard');
  await core.ports.directory.call('setAccountCard', { accountId, cardId, known });
  return card ?? rateCardOf(core, null);
}
