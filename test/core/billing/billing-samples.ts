// What the tests of bills share: cards by name, quantities as usage, and arbitrary usage.
import fc from 'fast-check';
import type { RateCard } from '../../../src/core/billing/prices/rate-card.ts';
import { RATE_CARDS } from '../../../src/core/billing/prices/rate-cards.ts';
import { addUsage, type MeterName, type Usage } from '../../../src/core/metering/usage.ts';

export const GB = 1_000_000_000n;
export const GiB = 1_073_741_824n;
export const MARCH = { year: 2026, month: 3 };

export function card(id: string): RateCard {
  const found = RATE_CARDS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no card ${id}`);
  return found;
}

export type Quantities = Partial<Record<MeterName, bigint>>;
export const usageOf = (quantities: Quantities): Usage =>
  new Map(Object.entries(quantities)) as Usage;

const METERS: readonly MeterName[] = [
  'storage/STANDARD',
  'storage/STANDARD_IA',
  'early-delete/STANDARD_IA',
  'class-a/STANDARD',
  'class-a/STANDARD_IA',
  'class-b/STANDARD',
  'class-b/STANDARD_IA',
  'free/STANDARD',
  'egress/memory',
  'egress/edge',
  'egress/bucket',
  'retrieval/STANDARD_IA',
  'storage/GLACIER',
];

export const anyUsage = fc
  .array(fc.tuple(fc.constantFrom(...METERS), fc.bigInt({ min: 0n, max: 10n ** 24n })), {
    maxLength: 12,
  })
  .map((pairs) => addUsage(...pairs.map((pair) => new Map([pair]))));
const SAVING_METERS: readonly MeterName[] = ['STANDARD', 'STANDARD_IA', 'GLACIER'].flatMap(
  (name) => [`deduplicated/${name}` as const, `compressed/${name}` as const],
);
/** Usage of which something is saved; now and then more than is stored. */
export const anySavedUsage = fc
  .tuple(
    anyUsage,
    fc.array(fc.tuple(fc.constantFrom(...SAVING_METERS), fc.bigInt({ min: 0n, max: 10n ** 24n })), {
      maxLength: 6,
    }),
  )
  .map(([usage, saved]) => new Map([...usage, ...saved]) as Usage);
export const anyCard = fc.constantFrom(...RATE_CARDS);
