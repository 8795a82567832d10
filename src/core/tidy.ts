import { runBilling } from './billing/run-billing.ts';
import type { Core } from './core.ts';
import { sweep } from './sweep/sweep.ts';

/** All that a home does by its clock, in one turn: bills come behind the sweep, which brings the ledger what was stored. */
export async function tidy(core: Core, options: { readonly stopping: AbortSignal }): Promise<void> {
  await sweep(core, options);
  await runBilling(core, options);
}
