// Brings closed hours of what a bucket's index counts (storage, and what commits caused) to the
// ledgers of its owners: part of the sweep. What was brought is forgotten only when the ledger has
// it; hours that come again are counted once, for each is a batch by itself.

import type { StorageHours } from '../../domain/billing/stored.ts';
import type { UsageBatch, UsageRow } from '../../domain/billing/usage.ts';
import type { AccountId, BucketName } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Core } from '../core.ts';

/** Runs of hours read at once. */
const PAGE = 500;

/**
 * Collects what there is of a bucket name, all its lives. Cost: an index call; three more per 500
 * runs of hours.
 */
export async function collectStorage(core: Core, name: BucketName): Promise<void> {
  const { clock, ledger, metadataIndex } = core.ports;
  for (;;) {
    const nowMs = clock.nowMs();
    const hours = await metadataIndex.call(name, 'closeStorageHours', { name, nowMs, limit: PAGE });
    const byAccount = Map.groupBy(hours, (hour) => hour.ownerId);
    for (const [accountId, of] of byAccount) {
      await ledger.call('record', {
        accountId: accountId as AccountId,
        batches: of.map(toBatch),
        nowMs,
      });
    }
    if (hours.length > 0) await metadataIndex.call(name, 'forgetStorageHours', { name, hours });
    if (hours.length < PAGE) return;
  }
}

/** Hours of one thing close in order, so that the hour itself is a sequence. */
function toBatch({ bucketId, of, hourMs, hourCount, used }: StorageHours): UsageBatch {
  const rows: UsageRow[] = [];
  for (const { meter, quantity } of used) {
    if (quantity === 0n) continue;
    const row = { bucketId, accessKeyId: null, meter, quantity };
    for (let at = 0; at < hourCount; at++) rows.push({ ...row, hourMs: hourMs + at * HOUR_MS });
  }
  return {
    source: `${of.kind} ${bucketId} ${of.kind === 'storage' ? of.storageClass : of.meter}`,
    sequence: hourMs / HOUR_MS,
    rows,
  };
}
