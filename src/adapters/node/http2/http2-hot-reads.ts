// Hot reads over HTTP/2: plain reads of what stands ready in memory, answered on
// their stream in the tick in which they came, by the same policy as on connections
// of HTTP/1.1. Called by http2-sessions.ts; everything else takes the full path.
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { performance } from 'node:perf_hooks';
import type { SignedRead } from '../../../http/delivery/fast-path/fast-path.ts';
import {
  type FastResponse,
  PART_HEADERS,
  type PartHeader,
  partValue,
  resolveBody,
  type WholeResponse,
} from '../../../http/delivery/fast-path/fast-response.ts';
import type { NodeFastPath } from '../fast-path/attach-fast-path.ts';
import {
  isPlainHost,
  isPlainTarget,
  isUrlHost,
  needsUrlParser,
} from '../fast-path/plain-target.ts';
import { FRAMING_HEADERS } from '../fast-path/recognise.ts';
import { takeCopy } from '../fast-path/response-writer.ts';
import { createClientReader, peerOf } from '../server/trusted-proxies.ts';
import { HTTP_2, type Http2Exchange } from './http2-request.ts';

/** Answers at once, or gives false: then nothing was done. */
export type AnswerHotRead = (exchange: Http2Exchange) => boolean;

type HeaderNames = { readonly refused: ReadonlySet<string>; readonly signing: ReadonlySet<string> };

/** Makes the hot reads of a server. */
export function createHttp2HotReads(fastPath: NodeFastPath): AnswerHotRead {
  const { readClient = createClientReader([]), served } = fastPath;
  const heads = createHeads();
  const names: HeaderNames = {
    refused: new Set<string>([...FRAMING_HEADERS, 'host', ...fastPath.decidingHeaders]),
    signing: new Set(fastPath.signingHeaders),
  };

  return (exchange) => {
    const { stream, headers, rawHeaders, socket } = exchange;
    const read = readOf(stream, headers, rawHeaders, names);
    if (read === null) return false;
    const startedMs = served === null ? 0 : performance.now();
    const clientOf = () => readClient(peerOf(socket), read.header);
    let due: FastResponse | null;
    try {
      due = read.isSigned
        ? fastPath.answerSigned(read)
        : fastPath.answer(read, () => clientOf().knownProtocol);
    } catch {
      // What fails here fails once more on the full path, where failures are
      // answered and logged.
      return false;
    }
    const response = due === null ? null : resolveBody(due, false);
    if (response === null) return false;

    const requestId = response.kind === 'document' ? response.body.requestId : fastPath.requestId();
    const bytes = bodyOf(response);
    const isBodiless = bytes === null || bytes.length === 0 || read.isHead;
    stream.respond(heads(response, requestId, bytes), { endStream: isBodiless });
    if (!isBodiless) {
      exchange.waitingBytes = bytes.length;
      stream.end(bytes);
    }

    if (served === null) return true;
    const { remoteAddress } = clientOf();
    const durationMs = performance.now() - startedMs;
    const { header } = read;
    served({ read, response, requestId, remoteAddress, durationMs, header, protocol: HTTP_2 });
    return true;
  };
}

function bodyOf(response: WholeResponse): Uint8Array | null {
  if (response.kind === 'document') return response.body.bytes;
  return response.kind === 'borrowed' ? takeCopy(response.body) : response.body;
}

/** Reads a plain read as recognise.ts reads its bytes; null for any other request. */
function readOf(
  { endAfterHeaders }: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  { refused, signing }: HeaderNames,
): (SignedRead & { readonly isSigned: boolean }) | null {
  const { ':method': method, ':path': target, ':authority': host } = headers;
  if ((method !== 'GET' && method !== 'HEAD') || !endAfterHeaders) return null;
  if (target === undefined || host === undefined) return null;
  if (!isPlainTarget(target) || !isPlainHost(host)) return null;
  if (needsUrlParser(target) && !isUrlHost(host)) return null;

  const queryAt = target.indexOf('?');
  let isSigned = queryAt !== -1;
  let count = 0;
  for (const name in headers) {
    count += 1;
    if (!refused.has(name)) continue;
    if (!signing.has(name)) return null;
    isSigned = true;
  }
  // A header came twice: what that means is for the full path to say.
  if (2 * count !== rawHeaders.length) return null;

  const header = (name: string): string | null => {
    if (name === 'host') return host;
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === 'string' ? value : null;
  };
  return {
    isSigned,
    method,
    isHead: method === 'HEAD',
    rawPath: queryAt === -1 ? target : target.slice(0, queryAt),
    rawQuery: queryAt === -1 ? '' : target.slice(queryAt + 1),
    host,
    ifNoneMatch: header('if-none-match'),
    range: header('range'),
    header,
    headerNames: () => Object.keys(headers),
  };
}

const REQUEST_ID = 'x-amz-request-id';
/** Repeats the request id, in the responses that have it. */
const EXTENDED_ID = 'x-amz-id-2';

/** Names and values in turn, and where values of each response belong. */
type Head = {
  readonly fields: readonly string[];
  readonly idsAt: readonly number[];
  readonly parts: readonly { readonly at: number; readonly name: PartHeader }[];
};

/** Gives the fields of a response, in a list of its own. */
type Heads = (response: WholeResponse, requestId: string, bytes: Uint8Array | null) => string[];

/** Keeps what responses have in common with their record of headers. */
function createHeads(): Heads {
  const known = new WeakMap<FastResponse['headers'], Head>();

  return (response, requestId, bytes) => {
    let head = known.get(response.headers);
    if (head === undefined) {
      head = headOf(response);
      known.set(response.headers, head);
    }
    const fields = [...head.fields];
    for (const at of head.idsAt) fields[at] = requestId;
    if (response.range !== null)
      for (const { at, name } of head.parts) fields[at] = partValue(name, response.range);
    if (response.kind === 'document') fields.push('content-length', `${bytes?.length ?? 0}`);
    return fields;
  };
}

function headOf({ status, headers }: WholeResponse): Head {
  const fields = [':status', `${status}`];
  const idsAt: number[] = [];
  const parts: { at: number; name: PartHeader }[] = [];
  const lines = Object.entries(headers);
  if (headers[REQUEST_ID] === undefined) lines.push([REQUEST_ID, '']);
  for (const [name, value] of lines) {
    fields.push(name.toLowerCase(), value);
    const at = fields.length - 1;
    if (name === REQUEST_ID || name === EXTENDED_ID) idsAt.push(at);
    const part = value === '' ? PART_HEADERS.find((partName) => partName === name) : undefined;
    if (part !== undefined) parts.push({ at, name: part });
  }
  return { fields, idsAt, parts };
}
