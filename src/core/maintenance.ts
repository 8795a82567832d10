// Maintenance: everything that runs on a schedule and not for a request. Node calls
// it by a timer, Cloudflare by a scheduled event.
import { runBilling } from './billing/scheduled/run-billing.ts';
import { trustTime } from './clock/trust-time.ts';
import type { Core } from './core.ts';
import { sweep } from './sweep/sweep.ts';

/**
 * Runs maintenance once: the sweep, then billing, which needs the storage hours
 * that the sweep writes to the ledger. Nothing runs while the clock is not trusted.
 */
export async function maintain(
  core: Core,
  options: { readonly stopping: AbortSignal },
): Promise<void> {
  const trusted = await trustTime(core);
  if (trusted === null) return;
  await sweep(trusted, options);
  await runBilling(trusted, options);
}
