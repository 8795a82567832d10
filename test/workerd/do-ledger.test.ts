// Calls of the ledger over RPC: what may happen twice is repeated, a first batch is not, for its
// sender says so when it sends it again.
import { expect, it } from 'vitest';
import { createDoLedger } from '../../src/adapters/cloudflare/clients/do-ledger.ts';
import type { LedgerObject } from '../../src/adapters/cloudflare/durable-objects/ledger-object.ts';
import type { UsageBatch } from '../../src/domain/billing/usage.ts';
import type { AccountId } from '../../src/domain/nouns.ts';

const accountId = 'alice' as AccountId;
const BATCH: UsageBatch = { source: 'isolate', sequence: 1, rows: [] };

/** A ledger whose object breaks its first connection, with how often it was called. */
function createBreaking() {
  let calls = 0;
  const stub = {
    async call() {
      calls += 1;
      if (calls === 1)
        throw Object.assign(new Error('Network connection lost.'), { retryable: true });
      return { isOk: true, value: undefined };
    },
  };
  const namespace = { idFromName: (name: string) => name, get: () => stub };
  const ledger = createDoLedger(namespace as unknown as DurableObjectNamespace<LedgerObject>);
  return { ledger, calls: () => calls };
}

for (const attempt of ['repeat', undefined] as const)
  it(`repeats a batch that is ${attempt ?? 'sent without a word'}`, async () => {
    const { ledger, calls } = createBreaking();
    const batch = { ...BATCH, ...(attempt !== undefined && { attempt }) };
    await ledger.call('record', { accountId, batches: [batch], nowMs: 0 });
    expect(calls()).toBe(2);
  });

it('the ledger repeats no call with a first batch', async () => {
  const { ledger, calls } = createBreaking();
  const batches: UsageBatch[] = [BATCH, { ...BATCH, sequence: 2, attempt: 'first' }];
  await expect(ledger.call('record', { accountId, batches, nowMs: 0 })).rejects.toMatchObject({
    code: 'InternalError',
  });
  expect(calls()).toBe(1);
});
