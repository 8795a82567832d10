// What the maintenance of a platform calls in the core: proofs of stored bodies,
// and reports to the operator, each as a line in the log and an event to the
// webhooks of the root account.

import { ROOT_ACCOUNT } from '../../domain/root-account.ts';
import type { OperatorWork } from '../../ports/operator-work.ts';
import type { Core } from '../core.ts';
import { proveBody } from '../objects/prove-body.ts';
import { enqueue } from '../outbox/deliveries.ts';

/**
 * Makes the operator's work. Cost of a report: a commit of the directory, if a
 * webhook wants it.
 */
export function createOperatorWork(core: Core): OperatorWork {
  const { ports, settings } = core;

  return {
    async diskCrossed({ percent, usedPercent, freeBytes, totalBytes }) {
      const data = {
        percent,
        usedPercent: Math.floor(usedPercent * 10) / 10,
        freeBytes,
        totalBytes,
      };
      ports.log.error('disk-filling', data);
      await enqueue(core, ROOT_ACCOUNT.id, 'disk.crossed', data);
    },
    async objectHurt(report) {
      ports.log.error('object-hurt', report);
      await enqueue(core, ROOT_ACCOUNT.id, 'object.hurt', report);
    },
    proveBody: (blobStore, body) => proveBody({ ports: { ...ports, blobStore }, settings }, body),
  };
}
