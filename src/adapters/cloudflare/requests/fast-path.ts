// Answers plain public reads out of memory before Hono and the request reader see them: half the
// CPU of the full way (measured 2026-11). It asks the app's hot door, which decides; whatever that
// leaves goes the full way. Called by worker.ts for every request.
import { type HotDoor, type HotReply, PART_HEADERS, partValue } from '../../../http/request.ts';
import { fromHeaderBytes } from './header-bytes.ts';
import { acceptEncoding } from './worker-request.ts';

/** The answer, or null: then nothing was done. Never throws, no I/O. */
export function createWorkersHotDoor(door: HotDoor): (request: Request) => Response | null {
  /**
   * The headers of an answer as the runtime sends them; the app gives the same record as long as
   * nothing changed.
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
    if (host === null || door.decidingHeaders.some((name) => headers.has(name))) return null;
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
    };
    const found = door.answer(read);
    // Nothing is read later here: no store of this home has anything at hand.
    if (found === null || found.finish !== null) return null;
    const requestId = door.requestId();
    door.served?.({
      read,
      reply: found,
      requestId,
      remoteAddress: headers.get('cf-connecting-ip'),
      durationMs: 0,
      header: (name) => headers.get(name),
    });
    return new Response(found.body as BodyInit | null, {
      status: found.status,
      headers: {
        ...toSendable(found.headers),
        ...rangeHeaders(found),
        'x-amz-request-id': requestId,
      },
      encodeBody: 'manual',
    });
  };
}

/** What the prepared headers of a range leave empty. */
function rangeHeaders({ headers, part }: HotReply): Record<string, string> {
  const values: Record<string, string> = {};
  if (part === null) return values;
  for (const name of PART_HEADERS) if (headers[name] === '') values[name] = partValue(name, part);
  return values;
}
