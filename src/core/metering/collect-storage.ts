// Brings closed hours of what a bucket's index counts (storage, and what commits
// caused) to the ledgers of its owners. Called by the sweep on Node, by the alarm of
// the bucket's object on Cloudflare. The index forgets hours only when the ledger has
// them; hours that come again are counted once (idempotent batches).

import type { StorageHours } from '../../domain/billing/stored.ts';
import type { UsageBatch, UsageRow } from '../../domain/billing/usage.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { Ports } from '../../ports/index.ts';
import { type CrossingCore, reportCrossing } from './report-crossing.ts';

/** What collecting works with: a Durable Object has no more. */
export type CollectingPorts = CrossingCore['ports'] &
  Pick<Ports, 'ledger'> & {
    readonly metadataIndex: Pick<Ports['metadataIndex'], 'call'>;
  };

/** Runs of hours in one page of the index. */
const PAGE = 500;

/**
 * Collects the closed hours of a bucket name, of all its incarnations. Cost: an
 * index call; three more per 500 runs of hours.
 */
export async function collectStorage(
  core: { readonly ports: CollectingPorts },
  name: BucketName,
): Promise<void> {
  const { clock, ledger, metadataIndex } = core.ports;
  for (;;) {
    const nowMs = clock.nowMs();
    const hours = await metadataIndex.call(name, 'closeStorageHours', { name, nowMs, limit: PAGE });
    const byAccount = Map.groupBy(hours, (hour) => hour.ownerId);
    for (const [accountId, accountHours] of byAccount) {
      const alerts = await ledger.call('record', {
        accountId,
        batches: accountHours.map(toBatch),
        nowMs,
      });
      // A Durable Object of the release before gives none.
      for (const { cap, ...crossing } of alerts ?? [])
        await reportCrossing(core, accountId, cap, crossing);
    }
    if (hours.length > 0) await metadataIndex.call(name, 'forgetStorageHours', { name, hours });
    if (hours.length < PAGE) return;
  }
}

/**
 * The batch of a run of hours. Hours of one source close in order, so the hour is
 * its sequence.
 */
function toBatch(hours: StorageHours): UsageBatch {
  const { bucketId, countedBy, of, hourMs, hourCount, used } = hours;
  const rows: UsageRow[] = [];
  for (const { meter, quantity } of used) {
    if (quantity === 0n) continue;
    const row = { bucketId, accessKeyId: null, meter, quantity };
    for (let hour = 0; hour < hourCount; hour++)
      rows.push({ ...row, hourMs: hourMs + hour * HOUR_MS });
  }
  const what = of.kind === 'storage' ? of.storageClass : of.meter;
  return {
    source: `${of.kind} ${countedBy?.id ?? bucketId} ${what}`,
    sequence: hourMs / HOUR_MS,
    rows,
  };
}
