// Counts requests that were refused, for the usage that owners see; they are never
// billed. Called by the S3 surface and delivery once the status of a response is
// known.
import type { AccountId } from '../../domain/nouns.ts';
import type { Meter, UsageOwner } from '../../ports/metering.ts';

/**
 * Counts a refused request (4xx) of a stranger, which costs the owner nothing and
 * is shown. One of the owner's own keys is free too, and not counted.
 */
export function countBlocked(
  meter: Meter,
  { payer, requester }: { readonly payer: UsageOwner | null; readonly requester: string | null },
  status: number,
): void {
  const isRefused = status >= 400 && status <= 499;
  if (payer === null || !isRefused) return;
  if (payer.accountId === (requester as AccountId | null)) return;
  meter.of({ ...payer, accessKeyId: null }).block();
}
