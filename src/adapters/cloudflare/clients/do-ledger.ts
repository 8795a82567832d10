// The ledger of an account, over RPC: each account has a Durable Object of its own
// (durable-objects/ledger-object.ts).
import type { Ledger, LedgerApi } from '../../../ports/ledger.ts';
import type { LedgerObject } from '../durable-objects/ledger-object.ts';
import { type CallableObject, callObject } from './object-call.ts';

/**
 * The ledger over RPC: one Durable Object for each account. Cost: one RPC. Every
 * call may happen twice without harm, but for a batch that says it is sent for the
 * first time: its sender repeats it, and says so.
 */
export function createDoLedger(ledgers: DurableObjectNamespace<LedgerObject>): Ledger {
  return {
    call: (name, input) =>
      callObject({
        // The stub's own types would lose the generic call; the wire carries plain
        // data all the same.
        connect: () =>
          ledgers.get(ledgers.idFromName(input.accountId)) as unknown as CallableObject,
        name,
        input,
        isRepeatable: !hasFirst(name, input),
      }),
  };
}

function hasFirst(name: keyof LedgerApi, input: unknown): boolean {
  if (name !== 'record' && name !== 'leaseCaps') return false;
  const { batches } = input as Parameters<LedgerApi['record' | 'leaseCaps']>[0];
  return batches.some(({ attempt }) => attempt === 'first');
}
