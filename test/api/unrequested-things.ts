// Things of an account that no request of the JSON API makes: rights.test.ts names them in paths.
import { creditInvoice } from '../../src/core/billing/invoices/credit-note.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import type { MemoryCore } from '../core/memory-core.ts';
import { closeBill } from './closed-bill.ts';

/** Adds a passkey and a credit note; gives their names with that of a session of the member. */
export async function addUnrequestedThings(
  core: MemoryCore,
  accountId: AccountId,
  memberId: string,
): Promise<ReadonlyMap<string, string>> {
  const { clock, directory } = core.ports;
  const nowMs = clock.nowMs();
  const [session] = await directory.call('listSessions', {
    accountId,
    holder: { memberId, accessKeyId: null },
    before: '',
    limit: 1,
    nowMs,
  });
  const passkey = {
    id: 'passkey-of-a',
    accountId,
    memberId,
    name: 'x',
    publicKey: '',
    counter: 0,
    transports: [],
    createdAtMs: nowMs,
    lastUsedMs: null,
  };
  await directory.call('addPasskey', { passkey });
  const month = await closeBill(core, accountId);
  const account = { id: accountId, displayName: 'a' };
  const { number } = await creditInvoice(core, account, month, { reason: 'x', part: null });
  return new Map([
    ['sessionId', session?.id ?? ''],
    ['passkeyId', passkey.id],
    ['number', number],
  ]);
}
