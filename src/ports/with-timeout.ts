// A timeout for waiting for a port: whoever hangs has failed. Used by core and by
// the tiers of both platforms.
import { StorageError } from '../domain/errors.ts';

/**
 * What `work` gives, or ServiceUnavailable after `limitMs`. The work itself goes
 * on, because nothing can stop it; what comes of it too late is given to
 * `dropLate`. Cost: a timer, unless the limit is Infinity. On Cloudflare call it
 * inside the request that waits.
 */
export function withTimeout<Result>(
  limitMs: number,
  what: string,
  work: () => Promise<Result>,
  dropLate: (result: Result) => void = () => undefined,
): Promise<Result> {
  if (limitMs === Number.POSITIVE_INFINITY) return work();
  return new Promise<Result>((resolve, reject) => {
    let isLate = false;
    const working = work();
    const timer = setTimeout(() => {
      isLate = true;
      reject(new StorageError('ServiceUnavailable', { cause: `no word from ${what}` }));
    }, limitMs);
    working
      .then((result) => (isLate ? dropLate(result) : resolve(result)))
      // Nobody waits any more for what is late: a failure of dropping it ends here.
      .catch(reject)
      .finally(() => clearTimeout(timer));
  });
}
