// Brings closed hours of storage from a bucket's index to the ledgers of its owners: part of the sweep. What was brought is
// forgotten only when the ledger has it; hours that come again are counted once, for each is a batch by itself.
import type { AccountId, BucketName } from '../../ports/domain.ts';
import { HOUR_MS, type MeterKind, type UsageBatch, type UsageRow } from '../../ports/ledger.ts';
import type { StorageHours } from '../../ports/stored.ts';
import type { Core } from '../core.ts';

/** Runs of hours read at once. */
const PAGE = 500;

/** Collects what there is of a bucket name, all its lives. Cost: an index call; three more per 500 runs of hours. */
export async function collectStorage(core: Core, name: BucketName): Promise<void> {
  const { clock, ledger, metadataIndex } = core.ports;
  for (;;) {
    const nowMs = clock.nowMs();
    const hours = await metadataIndex.call(name, 'closeStorageHours', { name, nowMs, limit: PAGE });
    const byAccount = Map.groupBy(hours, (hour) => hour.ownerId);
    for (const [accountId, of] of byAccount) {
      await ledger.call('record', { accountId: accountId as AccountId, batches: of.map(toBatch), nowMs });
    }
    if (hours.length > 0) await metadataIndex.call(name, 'forgetStorageHours', { name, hours });
    if (hours.length < PAGE) return;
  }
}

/** Hours of a bucket and class close in order, so that the hour itself is a sequence. */
function toBatch(hours: StorageHours): UsageBatch {
  const { bucketId, storageClass, hourMs, hourCount } = hours;
  const rows: UsageRow[] = [];
  const add = (kind: MeterKind, quantity: bigint) => {
    if (quantity === 0n) return;
    const row = { bucketId, accessKeyId: null, meter: `${kind}/${storageClass}`, quantity } as const;
    for (let at = 0; at < hourCount; at++) rows.push({ ...row, hourMs: hourMs + at * HOUR_MS });
  };
  add('storage', hours.byteMs);
  add('deduplicated', hours.deduplicatedByteMs);
  add('compressed', hours.compressedByteMs);
  return { source: `storage ${bucketId} ${storageClass}`, sequence: hourMs / HOUR_MS, rows };
}
