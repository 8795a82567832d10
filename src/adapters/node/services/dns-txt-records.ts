// TXT records by Node's resolver: by UDP, and by TCP for long responses. It queries
// the servers of the system's configuration, or those of the settings.
import { Resolver } from 'node:dns/promises';
import { StorageError } from '../../../domain/errors.ts';
import { DNS_LIMIT_MS, type TxtRecords } from '../../../ports/txt-records.ts';

/** Milliseconds until a query is sent again; the wait doubles. */
const FIRST_WAIT_MS = 1000;
const TRIES = 3;
/**
 * No such name, no TXT records, or no valid name. Source:
 * nodejs.org/api/dns.html#error-codes
 */
const NO_RECORDS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** `servers`: addresses with or without a port; none: the system's. */
export function createDnsTxtRecords(
  servers: readonly string[],
  limitMs = DNS_LIMIT_MS,
): TxtRecords {
  return {
    async read(name) {
      // One resolver for each query, because cancelling ends all queries of a
      // resolver.
      const resolver = new Resolver({ timeout: FIRST_WAIT_MS, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      const timer = setTimeout(() => resolver.cancel(), limitMs);
      try {
        return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
      } catch (cause) {
        if (NO_RECORDS.has((cause as NodeJS.ErrnoException).code)) return [];
        throw new StorageError('ServiceUnavailable', {
          detail: `DNS could not be asked for ${name}.`,
          cause,
        });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
