// Reports that a cap has come to a percentage that its owner has an alert for: a
// line in the log, and the event `cap.crossed` to the account's webhooks. The
// ledger gives each crossing once in a period, to the process whose call recorded the
// usage. Where that process ends before the event is in the outbox, the line is all
// there is.
import { sha256Hex } from '../../crypto/hash.ts';
import type { Cap, CapCrossing } from '../../domain/billing/caps.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { type EnqueuingCore, enqueue } from '../outbox/deliveries.ts';

/** Hex digits of a message id: 128 bits, so that two crossings never share one. */
const MESSAGE_ID_LENGTH = 32;

export type ReportCrossing = (accountId: AccountId, cap: Cap, crossing: CapCrossing) => void;

/** What a report takes of the core: a Durable Object has no more. */
export type CrossingCore = {
  readonly ports: EnqueuingCore['ports'] & Pick<Core['ports'], 'log'>;
};

/** Makes the report, which runs in the background, behind the response. */
export function createReportCrossing(core: Core): ReportCrossing {
  return (accountId, cap, crossing) =>
    core.ports.background.run('cap-alert', () => reportCrossing(core, accountId, cap, crossing));
}

/** Reports a crossing; resolves when the event is durable. */
export async function reportCrossing(
  core: CrossingCore,
  accountId: AccountId,
  cap: Cap,
  { percent, periodMs }: CapCrossing,
): Promise<void> {
  const { id, scope, unit, limit, period } = cap;
  core.ports.log.info('cap-crossed', { accountId, capId: id, percent });
  const data = {
    accountId,
    capId: id,
    percent,
    unit,
    limit: `${limit}`,
    period,
    periodStart: new Date(periodMs).toISOString(),
    scope,
  };
  // A repeated crossing has the same message id, whatever characters the other ids
  // have.
  const identity = JSON.stringify(['cap', accountId, id, periodMs, percent]);
  const messageId = sha256Hex(identity).slice(0, MESSAGE_ID_LENGTH);
  await enqueue(core, accountId, 'cap.crossed', data, messageId);
}
