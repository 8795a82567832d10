// Shares the lines of a bill out by what was used: to days, or to buckets. Parts of a
// line add up to the line, so that all parts add up to the total.
import type { Invoice, Usage } from 'quayside/client';

export type Line = Invoice['lines'][number];
export const GROUPS = ['storage', 'traffic', 'requests', 'other'] as const;
export type Group = (typeof GROUPS)[number];
/** Millionths of the currency. */
export type Amounts = Readonly<Record<Group, number>>;

const STORAGE = ['storage', 'early-delete', 'deduplicated', 'compressed'];
const REQUESTS = ['class-a', 'class-b', 'free'];

export function groupOf({ meters }: Line): Group {
  const kind = meters[0]?.split('/')[0] ?? '';
  if (STORAGE.includes(kind)) return 'storage';
  return REQUESTS.includes(kind) ? 'requests' : 'traffic';
}

/** Whether a row of usage is what the line charges, or takes off. */
function isOf({ saving, meters }: Line, meter: string): boolean {
  if (saving === null) return meters.includes(meter);
  const [kind, storageClass] = meter.split('/');
  return kind === saving && (meters.includes(meter) || meters.includes(`storage/${storageClass}`));
}

const NOTHING: Amounts = { storage: 0, traffic: 0, requests: 0, other: 0 };

/**
 * The amounts of each key. What no row of usage explains (a minimum, a credit) is
 * under `other` of the key ''.
 */
export function shareOut(
  { lines, totalMicro }: Pick<Invoice, 'lines' | 'totalMicro'>,
  rows: readonly Usage[],
  keyOf: (row: Usage) => string,
): ReadonlyMap<string, Amounts> {
  const shares = new Map<string, Amounts>();
  const add = (key: string, group: Group, micro: number) => {
    const before = shares.get(key) ?? NOTHING;
    shares.set(key, { ...before, [group]: before[group] + micro });
  };
  let unexplained = Number(totalMicro);
  for (const line of lines) {
    const amount = Number(line.amountMicro);
    const own = rows.filter(({ meter }) => isOf(line, meter));
    const used = own.reduce((sum, { quantity }) => sum + Number(quantity), 0);
    if (amount === 0 || used === 0) continue;
    unexplained -= amount;
    for (const row of own) add(keyOf(row), groupOf(line), (amount * Number(row.quantity)) / used);
  }
  if (Math.abs(unexplained) >= 1) add('', 'other', unexplained);
  return shares;
}

export const totalOf = (amounts: Amounts): number =>
  GROUPS.reduce((sum, group) => sum + amounts[group], 0);
