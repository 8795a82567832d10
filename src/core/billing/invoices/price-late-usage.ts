// Prices late usage: the bill that its month would have now, less the one that it
// had, by the card of then. So allowances, tiers and the minimum count once, and
// nothing is billed twice however often usage comes late. Pure.
import { type InvoiceLine, type InvoicePart, type LateUsage, makeInvoice } from './invoice.ts';

/**
 * Prices the late usage of a month. Pure. `before`: its usage that was billed so
 * far; `after`: its usage in the ledger now.
 */
export function priceLateUsage(
  input: Pick<LateUsage, 'period' | 'card' | 'before' | 'after'>,
): LateUsage {
  const { period, card, before, after } = input;
  const billed = makeInvoice(before, card, period);
  const current = makeInvoice(after, card, period);
  const lines = lineDifferences(billed.lines, current.lines);
  const minimumMicro = current.minimumMicro - billed.minimumMicro;
  const amountMicro = lines.reduce((sum, line) => sum + line.amountMicro, minimumMicro);
  return { period, card, before, after, lines, minimumMicro, amountMicro };
}

const keyOf = ({ saving, meters }: InvoiceLine): string => `${saving} ${meters.join()}`;

/** The differences of the lines; those that did not change are left out. */
function lineDifferences(
  before: readonly InvoiceLine[],
  after: readonly InvoiceLine[],
): readonly InvoiceLine[] {
  const linesBefore = new Map(before.map((line) => [keyOf(line), line]));
  const changed = after.map((line) => differenceOf(linesBefore.get(keyOf(line)), line));

  const keysAfter = new Set(after.map(keyOf));
  const gone = before
    .filter((line) => !keysAfter.has(keyOf(line)))
    .map((line) => differenceOf(line, undefined));

  return [...changed, ...gone].flatMap((line) =>
    line === null || (line.units === 0n && line.amountMicro === 0n) ? [] : [line],
  );
}

function differenceOf(
  before: InvoiceLine | undefined,
  after: InvoiceLine | undefined,
): InvoiceLine | null {
  const line = after ?? before;
  if (line === undefined) return null;
  const tiers = [...(after?.parts ?? []), ...(before?.parts ?? [])];
  const parts = [...new Map(tiers.map((part) => [part.tier, part])).values()]
    .map((part) => partDifference(part, before?.parts, after?.parts))
    .filter(({ units, amountMicro }) => units !== 0n || amountMicro !== 0n);
  return {
    ...line,
    units: (after?.units ?? 0n) - (before?.units ?? 0n),
    billedUnits: (after?.billedUnits ?? 0n) - (before?.billedUnits ?? 0n),
    parts,
    amountMicro: (after?.amountMicro ?? 0n) - (before?.amountMicro ?? 0n),
  };
}

function partDifference(
  part: InvoicePart,
  before: readonly InvoicePart[] = [],
  after: readonly InvoicePart[] = [],
): InvoicePart {
  const find = (parts: readonly InvoicePart[]) => parts.find(({ tier }) => tier === part.tier);
  return {
    ...part,
    units: (find(after)?.units ?? 0n) - (find(before)?.units ?? 0n),
    amountMicro: (find(after)?.amountMicro ?? 0n) - (find(before)?.amountMicro ?? 0n),
  };
}
