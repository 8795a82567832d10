// Reports that a cap has come to a percentage that its owner has an alert for: a
// line in the log, and the event `cap.crossed` to the account's webhooks. The
// ledger gives each crossing to one process, once in a period. Where that process
// ends before the event is in the outbox, the line is all there is.
import { sha256Hex } from '../../crypto/hash.ts';
import type { Cap, CapCrossing } from '../../domain/billing/caps.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { enqueue } from '../outbox/deliveries.ts';

/** Hex digits of a message id: 128 bits, so that two crossings never share one. */
const MESSAGE_ID_LENGTH = 32;

export type ReportCrossing = (accountId: AccountId, cap: Cap, crossing: CapCrossing) => void;

/** Makes the report, which runs in the background, behind the response. */
export function createReportCrossing(core: Core): ReportCrossing {
  const { background, log } = core.ports;
  return (accountId, cap, { percent, periodMs }) => {
    log.info('cap-crossed', { accountId, capId: cap.id, percent });
    const { id, scope, unit, limit, period } = cap;
    const periodStart = new Date(periodMs).toISOString();
    const data = {
      accountId,
      capId: id,
      percent,
      unit,
      limit: `${limit}`,
      period,
      periodStart,
      scope,
    };
    // A repeated crossing has the same message id, whatever characters the other
    // ids have.
    const identity = JSON.stringify(['cap', accountId, id, periodMs, percent]);
    const messageId = sha256Hex(identity).slice(0, MESSAGE_ID_LENGTH);
    background.run('cap-alert', () => enqueue(core, accountId, 'cap.crossed', data, messageId));
  };
}
