// Writes a rate card as the JSON that parseRateCard reads: for the API, for what is
// stored, and inside closed invoices. Stored fields keep their names.
import { formatDecimal } from '../decimal.ts';
import type { CardLine, RateCard } from './rate-card.ts';

const decimalField = (name: string, value: bigint) =>
  value === 0n ? {} : { [name]: formatDecimal(value) };

/** Writes a card as JSON; `parseRateCard` reads an equal card from it. */
export function rateCardJson(card: RateCard): Readonly<Record<string, unknown>> {
  return {
    id: card.id,
    name: card.name,
    currency: card.currency,
    source: card.source,
    asOf: card.asOf,
    ...(card.validFrom === null ? {} : { validFrom: card.validFrom }),
    monthHours: card.monthHours === 'calendar' ? card.monthHours : Number(card.monthHours),
    ...decimalField('minimum', card.minimum),
    ...(card.notes.length === 0 ? {} : { notes: card.notes }),
    lines: card.lines.map(lineJson),
  };
}

function lineJson(line: CardLine) {
  const { name, size, isPerMonth } = line.unit;
  const { freePerStored } = line;
  return {
    label: line.label,
    meters: line.meters,
    unit: { name, size: Number(size), ...(isPerMonth ? { perMonth: true } : {}) },
    ...decimalField('free', line.free),
    ...(freePerStored === null
      ? {}
      : {
          freePerStored: {
            meters: freePerStored.meters,
            times: formatDecimal(freePerStored.times),
          },
        }),
    ...(line.isRoundedUp ? { roundUp: true } : {}),
    tiers: line.tiers.map(({ upTo, price }) => ({
      ...(upTo === null ? {} : { upTo: formatDecimal(upTo) }),
      price: formatDecimal(price),
    })),
  };
}
