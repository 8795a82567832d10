// The Workers runtime's Request as the HttpRequest that the surfaces read, without
// a URL object: the path stays as it came. (Cloudflare's front, and wrangler dev,
// remove dot segments before a Worker sees the path: ARCHITECTURE.md.)

import { StorageError } from '../../../domain/errors.ts';
import { newRequestNotes } from '../../../http/observe/request-notes.ts';
import type { HttpRequest, Tls } from '../../../http/request.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import { toHeaderBytes } from './header-bytes.ts';

/**
 * Bytes asked for at a time. A plain reader gives 4 KiB chunks at 23 µs each, a
 * reader with its own 64 KiB buffers moves 200 MB in 0.2 s instead of 1.2 s
 * (measured 2026-11). Each chunk is a fresh buffer, so receivers may keep it.
 */
const CHUNK_BYTES = 64 * 1024;
/**
 * Limits in bytes and milliseconds up to which the rest of an unwanted body is read. A
 * response beside a half-read body breaks the connection, often before the client has
 * seen the response (measured with workerd 2026-10). A body that nobody began to read
 * does no harm.
 */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_MAX_MS = 10_000;

/** Reads what is asked of it, when it is asked. */
export function readWorkerRequest(request: Request): HttpRequest {
  const { url, headers } = request;
  const hostAt = url.indexOf('://') + 3;
  const slashAt = url.indexOf('/', hostAt);
  const pathAt = slashAt === -1 ? url.length : slashAt;
  const queryAt = url.indexOf('?', pathAt);
  return {
    method: request.method,
    rawPath: url.slice(pathAt, queryAt === -1 ? url.length : queryAt) || '/',
    rawQuery: queryAt === -1 ? '' : url.slice(queryAt + 1),
    host: headers.get('host') ?? url.slice(hostAt, pathAt),
    isSecure: url.startsWith('https:'),
    knownProtocol: url.startsWith('https:') ? 'https' : 'http',
    tls: () => (url.startsWith('https:') ? tlsOf(request) : null),
    remoteAddress: headers.get('cf-connecting-ip'),
    country: () => countryOf(request),
    header(name) {
      const text = name === 'accept-encoding' ? acceptEncoding(request) : headers.get(name);
      return text === null ? null : toHeaderBytes(text);
    },
    headerNames: () => headers.keys(),
    body: () => createBodySource(request),
    notes: newRequestNotes(),
    // Nothing tells here when the client has all of it: what is said is what was
    // meant to be sent.
    whenCut: (release) => request.signal.addEventListener('abort', release, { once: true }),
    onSent: (report) => report({ protocol: protocolOf(request), bodyBytes: null, isWhole: null }),
  };
}

/** The client's country by Cloudflare; null where it says none. Source: as of `tlsOf`. */
export function countryOf({ cf }: Request): string | null {
  return typeof cf?.country === 'string' ? cf.country : null;
}

/**
 * TLS of the client's connection to Cloudflare; null for plain HTTP. Source:
 * https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties
 */
function tlsOf({ cf }: Request): Tls | null {
  const [, version] = /^TLSv(\d+(?:\.\d+)?)$/.exec(String(cf?.tlsVersion)) ?? [];
  if (version === undefined) return null;
  return { version, cipher: typeof cf?.tlsCipher === 'string' ? cf.tlsCipher : null };
}

function protocolOf(request: Request): string {
  const protocol = request.cf?.httpProtocol;
  return typeof protocol === 'string' ? protocol : 'HTTP/1.1';
}

/**
 * Cloudflare replaces this header and keeps the client's, which may be signed,
 * elsewhere; '' there means none.
 */
export function acceptEncoding(request: Request): string | null {
  const sent = request.cf?.clientAcceptEncoding;
  return typeof sent === 'string' ? sent || null : request.headers.get('accept-encoding');
}

/**
 * The body, to be pumped once. IncompleteBody when the client leaves or sends less
 * than it announced.
 */
function createBodySource(request: Request): ByteSource {
  const announced = request.headers.get('content-length');
  // Without a length there is no body, or one of unknown length (chunked, or HTTP/2
  // and its ends of stream).
  const unannounced = request.body === null ? 0 : null;
  const lengthBytes =
    announced !== null && /^\d{1,15}$/.test(announced) ? Number(announced) : unannounced;
  return {
    lengthBytes,
    async pump(onChunk) {
      const sizeBytes =
        request.body === null ? 0 : await pumpStream(request.body, lengthBytes, onChunk);
      if (lengthBytes !== null && sizeBytes !== lengthBytes)
        throw new StorageError('IncompleteBody');
    },
  };
}

async function pumpStream(
  stream: ReadableStream<Uint8Array>,
  lengthBytes: number | null,
  onChunk: (chunk: Uint8Array) => void | Promise<void>,
): Promise<number> {
  const reader = stream.getReader({ mode: 'byob' });
  let sizeBytes = 0;
  for (;;) {
    const wanted = Math.max(
      1,
      Math.min(CHUNK_BYTES, (lengthBytes ?? Number.POSITIVE_INFINITY) - sizeBytes),
    );
    const { done, value } = await read(reader, wanted);
    if (value !== undefined && value.length > 0) {
      sizeBytes += value.length;
      try {
        await onChunk(value);
      } catch (error) {
        await drain(reader);
        throw error;
      }
    }
    if (done) return sizeBytes;
  }
}

/** Fills a fresh buffer; less comes only at the end. */
async function read(reader: ReadableStreamBYOBReader, sizeBytes: number) {
  try {
    return await reader.readAtLeast(sizeBytes, new Uint8Array(sizeBytes));
  } catch (cause) {
    throw new StorageError('IncompleteBody', { cause });
  }
}

/** Lets the client finish sending, within bounds, then gives up on it. */
async function drain(reader: ReadableStreamBYOBReader): Promise<void> {
  const limit = new AbortController();
  const readOn = async () => {
    let buffer = new Uint8Array(CHUNK_BYTES);
    for (let left = DRAIN_MAX_BYTES; left > 0; ) {
      const { done, value } = await reader.read(buffer);
      if (done || value === undefined) return;
      left -= value.length;
      buffer = new Uint8Array(value.buffer);
    }
  };
  try {
    await Promise.race([readOn(), scheduler.wait(DRAIN_MAX_MS, { signal: limit.signal })]);
    await reader.cancel();
  } catch {
    // The client left: there is nobody to be polite to.
  } finally {
    limit.abort();
  }
}
