// What an upload costs, before its first byte: by the account's rate card, its caps
// and the quota of the bucket.
import type { Answer } from 'quayside/client';
import { client, QuaysideError } from '../../../api/client.ts';

type Card = Answer<'GET /rate-cards/{cardId}'>;
type CardLine = Card['lines'][number];
type Overview = Answer<'GET /overview'>;
type Cap = NonNullable<Overview['caps']>[number];

export type Price = {
  /** Micro-units of the currency; null: the role may not see prices. */
  readonly monthMicro: number | null;
  readonly currency: string;
  /** How much of the tightest cap the month comes to with it, 1 is all; null: no cap. */
  readonly capPart: number | null;
  /** Why it would not be taken. */
  readonly refusal: Refusal | null;
};

export type Refusal =
  | { readonly kind: 'cap'; readonly id: string; readonly endsAt: string }
  | { readonly kind: 'quota'; readonly limit: number; readonly isObjects: boolean };

export type Load = {
  readonly bucket: string;
  readonly storageClass: string;
  readonly bytes: number;
  readonly objects: number;
};

/** Nothing is known of prices, and nothing stands in the way. */
const FREE: Price = { monthMicro: null, currency: 'USD', capPart: null, refusal: null };

const nullIfRefused = (error: unknown): null => {
  if (error instanceof QuaysideError && (error.status === 403 || error.status === 404)) return null;
  throw error;
};

export async function priceOf(load: Load, signal: AbortSignal): Promise<Price> {
  const { bucket } = load;
  const path = { bucket };
  const [overview, billing, settings, totals] = await Promise.all([
    client.request('GET /overview', { signal }).catch(nullIfRefused),
    client.request('GET /billing', { signal }).catch(nullIfRefused),
    client.request('GET /buckets/{bucket}', { path, signal }).catch(nullIfRefused),
    client.request('GET /buckets/{bucket}/totals', { path, signal }).catch(nullIfRefused),
  ]);
  const quota = quotaRefusal(load, settings?.quota ?? null, totals);
  if (overview === null) return { ...FREE, refusal: quota };
  const cardId = billing?.rateCardId;
  const card =
    cardId === undefined
      ? null
      : await client
          .request('GET /rate-cards/{cardId}', { path: { cardId }, signal })
          .catch(nullIfRefused);
  const monthMicro = card === null ? null : microOf(card, load, overview);
  const { capPart, refusal } = standing(overview, load, monthMicro ?? 0);
  const currency = card?.currency ?? overview.month?.currency ?? FREE.currency;
  return { monthMicro, currency, capPart, refusal: quota ?? refusal };
}

/** A month of storage and the requests, with the tiers and allowances of the card. */
function microOf(card: Card, load: Load, overview: Overview): number {
  const stored = Number(overview.stored.current.bytes) + Number(overview.stored.noncurrent.bytes);
  const lineOf = (meter: string) => card.lines.find(({ meters }) => meters.includes(meter));
  const storage = lineOf(`storage/${load.storageClass}`);
  const requests = lineOf(`class-a/${load.storageClass}`);
  const bytesCost = storage === undefined ? 0 : added(storage, stored, load.bytes);
  // How many requests the month had is not known here: they are priced as its first.
  const requestCost = requests === undefined ? 0 : added(requests, 0, load.objects);
  return (bytesCost + requestCost) * 1e6;
}

function added(line: CardLine, before: number, more: number): number {
  const { size } = line.unit;
  return cost(line, (before + more) / size) - cost(line, before / size);
}

/** What so many units cost, in units of the currency. */
function cost({ free, tiers }: CardLine, units: number): number {
  const paid = Math.max(0, units - Number(free ?? 0));
  let [sum, from] = [0, 0];
  for (const { upTo, price } of tiers) {
    const end = upTo === undefined ? Number.POSITIVE_INFINITY : Number(upTo);
    if (paid > from) sum += (Math.min(paid, end) - from) * Number(price);
    from = end;
  }
  return sum;
}

/** Where the caps in money that count this bucket will stand. */
function standing(overview: Overview, { bucket }: Load, monthMicro: number) {
  const caps = (overview.caps ?? []).filter(
    (cap) => (cap.bucket ?? bucket) === bucket && (cap.accessKeyId ?? null) === null,
  );
  const now = Date.now();
  const isLifted = ({ liftedUntil }: Cap) => liftedUntil != null && Date.parse(liftedUntil) > now;
  let capPart: number | null = null;
  let refusal: Refusal | null = null;
  for (const cap of caps) {
    if (isLifted(cap)) continue;
    const isMoney = cap.unit === 'money';
    const part = (Number(cap.spent) + (isMoney ? monthMicro : 0)) / Number(cap.limit);
    if (isMoney) capPart = Math.max(capPart ?? 0, part);
    const breaks = cap.level === 'refused' || (isMoney && part > 1);
    if (breaks) refusal ??= { kind: 'cap', id: cap.id, endsAt: cap.periodEndsAt };
  }
  return { capPart, refusal };
}

type Quota = Answer<'GET /buckets/{bucket}'>['quota'];
type Totals = Answer<'GET /buckets/{bucket}/totals'> | null;

function quotaRefusal({ bytes, objects }: Load, quota: Quota, totals: Totals): Refusal | null {
  if (quota === null || totals === null) return null;
  let [storedBytes, storedObjects] = [0, 0];
  for (const { current, noncurrent, uploads } of totals.items ?? []) {
    storedBytes += Number(current.bytes) + Number(noncurrent.bytes) + Number(uploads.bytes);
    storedObjects += current.objects + noncurrent.objects;
  }
  const { bytes: bytesMax = null, objects: objectsMax = null } = quota;
  if (bytesMax !== null && storedBytes + bytes > Number(bytesMax)) {
    return { kind: 'quota', limit: Number(bytesMax), isObjects: false };
  }
  if (objectsMax !== null && storedObjects + objects > objectsMax) {
    return { kind: 'quota', limit: objectsMax, isObjects: true };
  }
  return null;
}
