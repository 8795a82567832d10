// Reads and checks rate cards: what a quantity costs, as data. A card is JSON with
// its source and date, so that anybody can check it and write another.
// invoices/invoice.ts applies it.

import type { CardLine, RateCard, Tier } from '../../../domain/billing/rate-card.ts';
import { isJsonObject, type Json } from '../../json.ts';
import type { MeterKind, MeterName } from '../../metering/usage.ts';
import { parseDecimal } from '../decimal.ts';
import { MONTH_TEXT } from '../month.ts';

export type { CardLine, RateCard, Tier };

/** A card that can't be used; the message says where. */
export class RateCardError extends Error {
  override readonly name = 'RateCardError';
}

const KINDS: ReadonlySet<string> = new Set<MeterKind>([
  'storage',
  'early-delete',
  'class-a',
  'class-b',
  'free',
  'egress',
  'retrieval',
]);
/**
 * Lines of a card, and meters of a line. Ours: cards stay small enough to stand in
 * bills.
 */
const LINES_MAX = 100;
/** Price tiers of a line. Ours. */
const TIERS_MAX = 20;
/** Notes of a card. Ours. */
const NOTES_MAX = 20;

/** A text without control characters: texts of cards stand in documents. */
const TEXT = /^[^\p{Cc}]{1,300}$/u;

function text(object: Json, name: string, where: string, pattern = TEXT): string {
  const value = object[name];
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new RateCardError(`${where}.${name} is missing or not a text of that kind.`);
}

function decimal(value: unknown, where: string): bigint {
  const parsed = parseDecimal(value);
  if (parsed !== null) return parsed;
  throw new RateCardError(`${where} must be a decimal in quotes, like "0.015".`);
}

function whole(value: unknown, where: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return BigInt(value);
  throw new RateCardError(`${where} must be a whole number above 0.`);
}

function list(value: unknown, where: string, maxLength: number): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= maxLength) return value;
  throw new RateCardError(`${where} must be a list of 1 to ${maxLength}.`);
}

/**
 * Reads a card from parsed JSON, where a meter may stand in one line only.
 * RateCardError.
 */
export function parseRateCard(json: unknown): RateCard {
  if (!isJsonObject(json)) throw new RateCardError('A rate card must be an object.');
  const { monthHours } = json;
  const card: RateCard = {
    id: text(json, 'id', 'card', /^[a-z0-9][a-z0-9-]{0,62}$/),
    name: text(json, 'name', 'card'),
    currency: text(json, 'currency', 'card', /^[A-Z]{3}$/),
    source: text(json, 'source', 'card', /^https:\/\/\S{1,300}$/),
    asOf: text(json, 'asOf', 'card', /^\d{4}-\d\d-\d\d$/),
    validFrom: json.validFrom === undefined ? null : text(json, 'validFrom', 'card', MONTH_TEXT),
    monthHours: monthHours === 'calendar' ? monthHours : whole(monthHours, 'card.monthHours'),
    minimum: json.minimum === undefined ? 0n : decimal(json.minimum, 'card.minimum'),
    notes: json.notes === undefined ? [] : list(json.notes, 'card.notes', NOTES_MAX).map(parseNote),
    lines: list(json.lines, 'card.lines', LINES_MAX).map(parseLine),
  };
  const meters = card.lines.flatMap((line) => line.meters);
  const repeated = meters.find((meter, index) => meters.indexOf(meter) !== index);
  if (repeated !== undefined)
    throw new RateCardError(`The meter ${repeated} stands in the card twice.`);
  return card;
}

function parseLine(json: unknown, index: number): CardLine {
  const where = `card.lines[${index}]`;
  if (!isJsonObject(json)) throw new RateCardError(`${where} must be an object.`);
  const { unit } = json;
  if (!isJsonObject(unit)) throw new RateCardError(`${where}.unit must be an object.`);
  const tiers = parseTiers(json.tiers, `${where}.tiers`);
  return {
    label: text(json, 'label', where),
    meters: list(json.meters, `${where}.meters`, LINES_MAX).map((meter) =>
      parseMeter(meter, where),
    ),
    unit: {
      name: text(unit, 'name', `${where}.unit`),
      size: whole(unit.size, `${where}.unit.size`),
      isPerMonth: unit.perMonth === true,
    },
    free: json.free === undefined ? 0n : decimal(json.free, `${where}.free`),
    freePerStored: parseFreePerStored(
      json.freePerStored,
      unit.perMonth === true,
      `${where}.freePerStored`,
    ),
    isRoundedUp: json.roundUp === true,
    tiers,
  };
}

function parseNote(value: unknown): string {
  if (typeof value === 'string' && TEXT.test(value)) return value;
  throw new RateCardError('card.notes must be texts of at most 300 characters.');
}

function parseFreePerStored(
  json: unknown,
  isPerMonth: boolean,
  where: string,
): CardLine['freePerStored'] {
  if (json === undefined) return null;
  if (!isJsonObject(json) || isPerMonth)
    throw new RateCardError(`${where} must be an object, of a line that is not stored.`);
  const meters = list(json.meters, `${where}.meters`, LINES_MAX).map((meter) =>
    parseMeter(meter, where),
  );
  const other = meters.find((meter) => !meter.startsWith('storage/'));
  if (other !== undefined) throw new RateCardError(`${where}.meters: ${other} is not stored.`);
  return { meters, times: decimal(json.times, `${where}.times`) };
}

function parseMeter(value: unknown, where: string): MeterName {
  const [kind = '', name = ''] = typeof value === 'string' ? value.split('/') : [];
  if (KINDS.has(kind) && /^[A-Za-z_]{1,40}$/.test(name)) return value as MeterName;
  throw new RateCardError(`${where}.meters: ${String(value).slice(0, 60)} is no meter.`);
}

function parseTiers(json: unknown, where: string): readonly Tier[] {
  const tiers = list(json, where, TIERS_MAX).map((tier, index) =>
    parseTier(tier, `${where}[${index}]`),
  );
  tiers.forEach(({ upTo }, index) => {
    const isLast = index === tiers.length - 1;
    const before = index === 0 ? 0n : (tiers[index - 1]?.upTo ?? 0n);
    if (isLast !== (upTo === null) || (upTo !== null && upTo <= before)) {
      throw new RateCardError(`${where} must ascend, and only the last one is without end.`);
    }
  });
  return tiers;
}

function parseTier(json: unknown, where: string): Tier {
  if (!isJsonObject(json)) throw new RateCardError(`${where} must be an object.`);
  const upTo =
    json.upTo === null || json.upTo === undefined ? null : decimal(json.upTo, `${where}.upTo`);
  return { upTo, price: decimal(json.price, `${where}.price`) };
}
