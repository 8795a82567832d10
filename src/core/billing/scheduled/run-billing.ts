// The scheduled work on bills, in its order. The timers of both platforms call it;
// each step keeps its own cursor, so a run that is cut short goes on in the next
// one.
import type { Core } from '../../core.ts';
import { type CloseOptions, closeMonths } from '../invoices/close-months.ts';
import { notePrices } from '../prices/noted-prices.ts';
import { pushUsage } from './push-usage.ts';
import { reportUsage } from './report-usage.ts';

/**
 * Closes the months that are due, reports the days that are over to webhooks, and
 * pushes usage to a billing service, if there is one.
 */
export async function runBilling(core: Core, options: CloseOptions = {}): Promise<void> {
  await notePrices(core);
  await closeMonths(core, options);
  await reportUsage(core, options);
  const { usagePush } = core.ports;
  if (usagePush !== null) await pushUsage(core, usagePush, options.stopping ?? null);
}
