// How a bucket was served, out of its meters: pure, so that it is tested without a
// page. docs/billing.md has the meters.
import type { Usage } from 'quayside/client';

export type Served = {
  /** All bytes that went out. */
  readonly bytes: number;
  /** The part of them that caches had, of what a cache can have; null: nothing went out. */
  readonly hitRatio: number | null;
  /** Requests that were refused, whoever sent them, and those that the server failed. */
  readonly clientErrors: number;
  readonly serverErrors: number;
};

export function servedOf(rows: readonly Pick<Usage, 'meter' | 'quantity'>[]): Served {
  const sum = (meters: RegExp) =>
    rows.reduce((all, { meter, quantity }) => all + (meters.test(meter) ? Number(quantity) : 0), 0);
  const cached = sum(/^egress.(?:memory|edge)$/);
  const stored = sum(/^egress.bucket$/);
  return {
    bytes: sum(/^egress/),
    hitRatio: cached + stored > 0 ? cached / (cached + stored) : null,
    clientErrors: sum(/^(?:errors.4xx|free.blocked)$/),
    serverErrors: sum(/^errors.5xx$/),
  };
}
