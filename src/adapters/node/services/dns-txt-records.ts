// TXT records by the resolver of Node, which asks the servers of the system's own configuration, or
// given ones, by UDP, and by TCP what is too long for it.
import { Resolver } from 'node:dns/promises';
import { StorageError } from '../../../domain/errors.ts';
import { DNS_LIMIT_MS, type TxtRecords } from '../../../ports/txt-records.ts';

/** Milliseconds until a question is sent again; the wait doubles. */
const FIRST_WAIT_MS = 1000;
const TRIES = 3;
/**
 * There is no such name, it has no such records, or it can be no name. Source:
 * https://nodejs.org/api/dns.html#error-codes
 */
const NO_RECORDS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** `servers`: addresses with or without a port; none: the system's. */
export function createDnsTxtRecords(
  servers: readonly string[],
  limitMs = DNS_LIMIT_MS,
): TxtRecords {
  return {
    async read(name) {
      // One resolver for each question, because cancelling ends all of a resolver's.
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
