// A bound on waiting: whoever hangs has failed. Used by the tiers of both homes for what stands below them.
import { StorageError } from '../../ports/errors.ts';

/**
 * What `work` gives, or ServiceUnavailable after `limitMs`. The work itself goes on: nothing can stop it, and what comes
 * of it then is dropped. Cost: a timer, unless the limit is Infinity. On Cloudflare call it inside the request that waits.
 */
export function within<Result>(limitMs: number, what: string, work: () => Promise<Result>): Promise<Result> {
  if (limitMs === Number.POSITIVE_INFINITY) return work();
  return new Promise<Result>((resolve, reject) => {
    const refuse = () => reject(new StorageError('ServiceUnavailable', { cause: `no word from ${what}` }));
    const timer = setTimeout(refuse, limitMs);
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
