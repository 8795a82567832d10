// Counts requests that were answered with an error, for the usage that owners see;
// they are never billed. Called by answer-request.ts once the status of a response
// is known.
import type { AccountId } from '../../domain/nouns.ts';
import type { Meter, UsageOwner } from '../../ports/metering.ts';

/**
 * Counts an error by whose it is: refused to a stranger, refused to the account
 * itself, or failed by the server. Each request is in one meter, and what strangers
 * do is counted by no key. A status below 400, and a request whose bucket nobody
 * found, is no error of an account.
 */
export function countError(
  meter: Meter,
  { payer, requester }: { readonly payer: UsageOwner | null; readonly requester: string | null },
  status: number,
): void {
  if (payer === null || status < 400) return;
  const isOwn = payer.accountId === (requester as AccountId | null);
  const counter = meter.of(isOwn ? payer : { ...payer, accessKeyId: null });
  if (status >= 500) counter.fail('server');
  else if (isOwn) counter.fail('client');
  else counter.block();
}
