// The fast path on Workers: answers plain public reads out of memory before Hono
// and the request reader see them, at half the CPU of the full path (measured
// 2026-11). Called by worker.ts for every request. The app's fast path decides;
// what it leaves takes the full path.

import type { FastPath } from '../../../http/delivery/fast-path/fast-path.ts';
import {
  PART_HEADERS,
  partValue,
  type WholeResponse,
} from '../../../http/delivery/fast-path/fast-response.ts';
import { fromHeaderBytes } from './header-bytes.ts';
import { acceptEncoding, countryOf } from './worker-request.ts';

/**
 * Makes it: the response, or null, and then nothing was done. Never throws, no I/O.
 */
export function createWorkersFastPath(fastPath: FastPath): (request: Request) => Response | null {
  /**
   * Headers of a response as the runtime sends them. The app gives the same record
   * as long as nothing changed.
   */
  const sendable = new WeakMap<
    Readonly<Record<string, string>>,
    Readonly<Record<string, string>>
  >();

  function toSendable(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    let made = sendable.get(headers);
    if (made === undefined) {
      made = Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [name, fromHeaderBytes(text) ?? text]),
      );
      sendable.set(headers, made);
    }
    return made;
  }

  return (request) => {
    const { method, url, headers } = request;
    if ((method !== 'GET' && method !== 'HEAD') || url.includes('?')) return null;
    const host = headers.get('host');
    if (host === null || fastPath.decidingHeaders.some((name) => headers.has(name))) return null;
    const pathAt = url.indexOf('/', url.indexOf('://') + 3);
    if (pathAt === -1) return null;
    const read = {
      isHead: method === 'HEAD',
      rawPath: url.slice(pathAt),
      host,
      ifNoneMatch: headers.get('if-none-match'),
      range: headers.get('range'),
      header: (name: string) =>
        name === 'accept-encoding' ? acceptEncoding(request) : headers.get(name),
      country: () => countryOf(request),
    };
    const response = fastPath.answer(read);
    // Only bytes that stay are sent here: no store of this platform has anything at
    // hand.
    if (response === null || response.kind === 'later' || response.kind === 'borrowed') return null;
    const isDocument = response.kind === 'document';
    const requestId = isDocument ? response.body.requestId : fastPath.requestId();
    fastPath.served?.({
      read,
      response,
      requestId,
      remoteAddress: headers.get('cf-connecting-ip'),
      durationMs: 0,
      header: (name) => headers.get(name),
    });
    const body = isDocument ? response.body.bytes : response.body;
    return new Response(body as BodyInit | null, {
      status: response.status,
      headers: {
        ...toSendable(response.headers),
        ...rangeHeaders(response),
        ...('x-amz-id-2' in response.headers ? { 'x-amz-id-2': requestId } : null),
        'x-amz-request-id': requestId,
      },
      encodeBody: 'manual',
    });
  };
}

/** The values that the prepared headers of a range leave empty. */
function rangeHeaders({ headers, range }: WholeResponse): Record<string, string> {
  const values: Record<string, string> = {};
  if (range === null) return values;
  for (const name of PART_HEADERS) if (headers[name] === '') values[name] = partValue(name, range);
  return values;
}
