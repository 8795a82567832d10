// Usage as bills take it: quantities by meter, whole numbers without bound. Storage
// is in byte-hours, traffic in bytes, requests in requests. The ledger adds usage
// up, a rate card prices it; nothing here knows money.
import type { MeterKind, MeterName } from '../../domain/billing/usage.ts';

export type { MeterKind, MeterName };
export type Usage = ReadonlyMap<MeterName, bigint>;

/** Adds usages up by meter. */
export function addUsage(...parts: readonly Usage[]): Usage {
  const sum = new Map<MeterName, bigint>();
  for (const part of parts)
    for (const [meter, quantity] of part) sum.set(meter, (sum.get(meter) ?? 0n) + quantity);
  return sum;
}

/** What can be saved of storage, in the order in which bills take it off. */
export const SAVINGS = ['deduplicated', 'compressed'] as const satisfies readonly MeterKind[];
export type Saving = (typeof SAVINGS)[number];

const kindOf = (meter: MeterName): string => meter.slice(0, meter.indexOf('/'));

/** Whether a meter is of storage as clients see it. */
export const isStorage = (meter: MeterName): boolean => kindOf(meter) === 'storage';
/** Whether a meter is of what is saved of storage. */
export const isSaving = (meter: MeterName): boolean =>
  SAVINGS.some((kind) => kind === kindOf(meter));
/** Whether a meter goes by what is stored from moment to moment. */
export const isOverTime = (meter: MeterName): boolean => isStorage(meter) || isSaving(meter);
/**
 * The meter of refused requests of strangers: shown to the owner and never billed.
 */
export const BLOCKED: MeterName = 'free/blocked';

/**
 * Whether the account used anything, so that a minimum is due and the month has a
 * bill.
 */
export const isUsed = (usage: Usage): boolean =>
  [...netUsage(usage)].some(([meter, quantity]) => meter !== BLOCKED && quantity !== 0n);

/**
 * Whether a meter is in byte-milliseconds in the ledger, and in byte-hours on
 * bills: with what leaves its class early.
 */
export const isInByteTime = (meter: MeterName): boolean =>
  isOverTime(meter) || kindOf(meter) === 'early-delete';

/** The meter of what is saved of a storage meter. */
export const savingMeter = (saving: Saving, storage: MeterName): MeterName =>
  `${saving}/${storage.slice(storage.indexOf('/') + 1)}`;

/**
 * What is saved of one storage meter by each saving; together never more than is
 * stored.
 */
export function savedOf(usage: Usage, storage: MeterName): Readonly<Record<Saving, bigint>> {
  let left = usage.get(storage) ?? 0n;
  const take = (saving: Saving): bigint => {
    const counted = usage.get(savingMeter(saving, storage)) ?? 0n;
    const saved = counted < left ? counted : left;
    left -= saved;
    return saved;
  };
  return { deduplicated: take('deduplicated'), compressed: take('compressed') };
}

/**
 * Net usage: what is really stored in the place of storage as clients see it, and
 * no savings.
 */
export function netUsage(usage: Usage): Usage {
  const net = new Map<MeterName, bigint>();
  for (const [meter, quantity] of usage) {
    if (isSaving(meter)) continue;
    const { deduplicated, compressed } = isStorage(meter)
      ? savedOf(usage, meter)
      : { deduplicated: 0n, compressed: 0n };
    net.set(meter, quantity - deduplicated - compressed);
  }
  return net;
}

/** Gross usage, as if deduplication and compression had saved nothing. */
export function withoutSavings(usage: Usage): Usage {
  return new Map([...usage].filter(([meter]) => !isSaving(meter)));
}
