// Maintenance: everything that runs on a schedule and not for a request. Node calls it by a timer,
// Cloudflare by a scheduled event.
import { runBilling } from './billing/run-billing.ts';
import { trustTime } from './clock/trust-time.ts';
import type { Core } from './core.ts';
import { sweep } from './sweep/sweep.ts';

/**
 * All that a home does by its clock, in one turn: bills come behind the sweep, which brings the
 * ledger what was stored. Nothing happens while the clock is in doubt.
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
