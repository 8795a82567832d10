// Caps of usage, as a feature of reads: in capped buckets nothing is opened, and
// nothing sent, that a cap has no room for. core/caps decides; buckets without a
// cap have none of it.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import { payerOfRead } from '../count-read.ts';
import type { ReadFeature } from './read-feature.ts';

/** `caps` null: there are none. */
export function capsFeature(caps: CapGuard | null): ReadFeature {
  if (caps === null) return { isIn: () => false };

  return {
    isIn: ({ settings }) => settings.isCapped === true,
    admit: (readPolicy, use) => caps.require(payerOfRead(readPolicy), use),
    refusalNow: (readPolicy, use) => caps.refusalNow(payerOfRead(readPolicy), use),
    atOnce: { admits: (readPolicy, bytesOut) => caps.mayServe(readPolicy, bytesOut) },
  };
}
