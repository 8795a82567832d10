import type { Core } from '../../core.ts';
import { type CloseOptions, closeMonths } from '../invoices/close-months.ts';
import { notePrices } from '../prices/noted-prices.ts';
import { pushUsage } from './push-usage.ts';
import { reportUsage } from './report-usage.ts';

/**
 * The scheduled work on bills: months that are due are closed, days that are over are told to
 * webhooks, and usage to a billing service, if there is one.
 */
export async function runBilling(core: Core, options: CloseOptions = {}): Promise<void> {
  await notePrices(core);
  await closeMonths(core, options);
  await reportUsage(core, options);
  const { usagePush } = core.ports;
  if (usagePush !== null) await pushUsage(core, usagePush, options.stopping ?? null);
}
