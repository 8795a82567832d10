// What a dispatcher inside a Durable Object works with: few ports, made when there
// is something to send.
import type { Directory } from '../../../ports/directory.ts';
import type { Ports } from '../../../ports/index.ts';
import { createConsoleLog } from '../../shared/console-log.ts';
import { systemClock } from '../../shared/system-clock.ts';
import { createDoDirectory } from '../clients/do-directory.ts';
import type { WorkerEnv } from '../env.ts';

/** The sender is worker.ts's to add: it depends on settings. */
export type OutboxPorts = Pick<Ports, 'clock' | 'log'> & {
  readonly directory: Pick<Directory, 'call'>;
};

export function createOutboxPorts(
  env: WorkerEnv,
  ctx: Pick<DurableObjectState, 'waitUntil'>,
): OutboxPorts {
  const background = {
    run: (_label: string, work: () => Promise<unknown>) => ctx.waitUntil(work()),
  };
  return {
    clock: systemClock,
    log: createConsoleLog(systemClock, 'error'),
    directory: createDoDirectory(env.DIRECTORY, {
      clock: systemClock,
      background,
      hostFreshSeconds: 0,
    }),
  };
}
