// The receipt of a response as a header. The S3 surface and delivery write it, each
// decides who is shown one; docs/billing.md tells clients how to read it.
import type { Receipt } from '../core/billing/receipts/take-receipt.ts';

/** `1` on requests that ask for a receipt; on responses the receipt. */
export const RECEIPT = 'x-quayside-receipt';
/** The parameter of a query that asks for a receipt. */
export const RECEIPT_PARAMETER = 'receipt';

/** The receipt of a response that nobody pays, as errors are. */
export const FREE_RECEIPT = 'class=free, amount=0';

/** Largest integer of a structured field. Source: RFC 9651 section 3.3.1. */
const INTEGER_MAX = 999_999_999_999_999n;

/**
 * A dictionary of RFC 9651: `class=B, amount=37, currency=USD,
 * card="cloudflare-r2", period="2026-11", used=(class-b/STANDARD;n=1;amount=1
 * egress/bucket;n=1048576;amount=36), id="…"`. Amounts are micro-units.
 */
export function receiptHeader({ operationClass, price }: Receipt, requestId: string): string {
  if (price === null) return `class=${operationClass}, unavailable, id="${requestId}"`;
  const { parts, period, tariff } = price;
  const amount = parts.reduce((sum, part) => sum + part.amountMicro, 0n);
  const used = parts.map(
    ({ meter, quantity, amountMicro }) =>
      `${meter};n=${integer(quantity)};amount=${integer(amountMicro)}`,
  );
  const { currency, id } = tariff.card;
  return [
    `class=${operationClass}`,
    `amount=${integer(amount)}`,
    `currency=${currency}`,
    `card="${id}"`,
    `period="${period}"`,
    `used=(${used.join(' ')})`,
    `id="${requestId}"`,
  ].join(', ');
}

/** An integer of a structured field, or a text where it is too large for that. */
function integer(value: bigint): string {
  return value > INTEGER_MAX || value < -INTEGER_MAX ? `"${value}"` : `${value}`;
}
