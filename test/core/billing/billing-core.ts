// A core in memory whose ledger tests write to themselves, and accounts to bill.

import type { MeterName } from '../../../src/domain/billing/usage.ts';
import type { Account, AccountId, BucketId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { createMemoryCore, type MemoryCore, withPorts } from '../memory-core.ts';

export type BillingCore = MemoryCore & {
  /** Counts that much in the hour of a time; storage in bytes, for the whole hour. */
  use(account: Account, atMs: number, meter: MeterName, quantity: bigint): Promise<void>;
};

/** The clock begins at 2026-11-20. */
export function createBillingCore(): BillingCore {
  const core = createMemoryCore();
  let sequence = 0;
  return {
    ...core,
    async use({ id: accountId }, atMs, meter, quantity) {
      sequence += 1;
      const hourMs = atMs - (atMs % HOUR_MS);
      const isStored = /^(storage|deduplicated|compressed)\//.test(meter);
      const row = { hourMs, bucketId: 'b~1' as BucketId, accessKeyId: null, meter };
      const rows = [{ ...row, quantity: isStored ? quantity * BigInt(HOUR_MS) : quantity }];
      await core.ports.ledger.call('record', {
        accountId,
        batches: [{ source: 'test', sequence, rows }],
        nowMs: atMs,
      });
    },
  };
}

/**
 * A core in a process that is killed when its directory commits that call: the call is committed,
 * and its response is lost. No later call happens.
 */
export function dyingAtCall(core: BillingCore, dies: number): MemoryCore {
  const { directory } = core.ports;
  let calls = 0;
  const dying: typeof directory = {
    ...directory,
    async call(name, input) {
      calls += 1;
      if (calls > dies) throw new Error('killed');
      const value = await directory.call(name, input);
      if (calls === dies) throw new Error('killed');
      return value;
    },
  };
  return withPorts(core, { directory: dying });
}

/** An account that the directory knows. */
export async function addAccount(core: BillingCore, name: string): Promise<Account> {
  const account: Account = { id: name as AccountId, displayName: `${name} & Co` };
  await core.ports.directory.call('putAccount', { account, keys: [] });
  return account;
}
