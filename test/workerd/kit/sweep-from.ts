// The cron of the sweeper as it comes by one bucket: a run takes some buckets, and other tests make
// many.
import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createDoDirectory } from '../../../src/adapters/cloudflare/clients/do-directory.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import worker from '../../../src/worker.ts';

/** A run of the sweeper that begins at this bucket. */
export async function sweepFrom(name: string, settings: object = {}): Promise<void> {
  const directory = createDoDirectory(env.DIRECTORY, {
    clock: systemClock,
    background: { run: () => undefined },
    hostFreshSeconds: 5,
  });
  await directory.call('setSweepCursor', { startedAtMs: 0, after: name.slice(0, -1) });
  await worker.scheduled(createScheduledController(), {
    ...env,
    QUAYSIDE_LOG_LEVEL: 'error',
    ...settings,
  } as typeof env);
}
