// Reports to the operator: a line in the log, and an event to the webhooks of the root account. The
// platform finds what is to be reported and says when.
import type { OperatorReports } from '../../ports/operator-reports.ts';
import { ROOT_ACCOUNT } from '../auth/root-account.ts';
import type { Core } from '../core.ts';
import { enqueue } from '../outbox/deliveries.ts';

/** Makes the reports. Cost of one: a commit of the directory, if a webhook wants it. */
export function createOperatorReports(core: Core): OperatorReports {
  const { log } = core.ports;
  return {
    async diskCrossed({ percent, usedPercent, freeBytes, totalBytes }) {
      const data = { percent, usedPercent: Math.floor(usedPercent * 10) / 10, freeBytes, totalBytes };
      log.error('disk-filling', data);
      await enqueue(core, ROOT_ACCOUNT.id, 'disk.crossed', data);
    },
  };
}
