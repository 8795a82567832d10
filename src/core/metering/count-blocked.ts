import type { AccountId } from '../../domain/nouns.ts';
import type { Meter, UsageOwner } from '../../ports/metering.ts';

/**
 * Counts a request that was refused: what strangers do wrong costs the owner nothing, and is shown.
 * What the owner's own keys do wrong is free too, and not counted at all.
 */
export function countBlocked(
  meter: Meter,
  { payer, requester }: { readonly payer: UsageOwner | null; readonly requester: string | null },
  status: number,
): void {
  if (
    payer === null ||
    status < 400 ||
    status > 499 ||
    payer.accountId === (requester as AccountId | null)
  )
    return;
  meter.of({ ...payer, accessKeyId: null }).block();
}
