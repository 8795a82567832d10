// Work behind the response on Cloudflare, where the runtime ends what nobody waits
// for.
import { waitUntil } from 'cloudflare:workers';
import type { Background, Log } from '../../../ports/system.ts';

/**
 * Work that the runtime lets finish after the response, for up to 30 s; what fails
 * is logged. Call it inside a request. Source:
 * https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil
 */
export function createWaitUntilBackground(log: Log): Background {
  return {
    run(label, work) {
      const promise = (async () => {
        try {
          await work();
        } catch (cause) {
          log.error('background-failed', { label, cause });
        }
      })();
      waitUntil(promise);
    },
  };
}
