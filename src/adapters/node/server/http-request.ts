// Reads an HttpRequest straight from Node's IncomingMessage: no URL, no Headers, no
// web stream. So the request target stays as it came, and the hot path builds
// nothing. It also knows which clients wait for `100 Continue`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { freeBytes } from '../../../crypto/free-bytes.ts';
import { StorageError } from '../../../domain/errors.ts';
import { newRequestNotes } from '../../../http/observe/request-notes.ts';
import type { HttpRequest } from '../../../http/request.ts';
import type { ByteSource, OnChunk } from '../../../ports/byte-source.ts';
import { respondWithChunks } from './chunk-responses.ts';
import { onSent } from './sent-response.ts';
import {
  createClientReader,
  isFromLoopback,
  peerOf,
  type ReadClient,
  tlsOf,
} from './trusted-proxies.ts';

/**
 * Milliseconds without a byte after which an upload ends. AWS drops idle sockets at
 * 20 to 60 s.
 */
export const UPLOAD_IDLE_MS = 60_000;

/**
 * Event on a request whose body comes slower than it must: its reader gives it up.
 */
export const TOO_SLOW = Symbol('too slow');

/** Responses whose client sends no body before it has read `100 Continue`. */
const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Notes that the client waits for `100 Continue`, which is sent when the body is
 * pumped. A response that comes first closes the connection: the next bytes might
 * be that body or another request. Source: RFC 9110 section 10.1.1.
 */
export function expectContinue(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.headers['content-length'] === '0') return;
  awaitingContinue.set(incoming, outgoing);
  outgoing.shouldKeepAlive = false;
}

/**
 * How requests are read: `idleMs` see UPLOAD_IDLE_MS, `readClient` see
 * trusted-proxies.ts.
 */
export type ReadSettings = { readonly idleMs: number; readonly readClient: ReadClient };

/** Settings without a trusted proxy in front. */
export const DIRECT: ReadSettings = { idleMs: UPLOAD_IDLE_MS, readClient: createClientReader([]) };

/** The request as the app sees it. Cost: 0.1 µs. */
export function readRequest(
  { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
  settings: ReadSettings = DIRECT,
): HttpRequest {
  const { headers, socket } = incoming;
  const { authority, pathAndQuery } = splitTarget(incoming.url ?? '/');
  const queryAt = pathAndQuery.indexOf('?');
  const header = (name: string): string | null => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
  };
  // Read at once: the socket keeps it, and an accessor here would cost more than
  // all the rest (measured 2026-11, 0.8 µs).
  const client = settings.readClient(peerOf(socket), header);
  const { remoteAddress, isSecure, knownProtocol, isPeer } = client;
  return {
    method: incoming.method ?? 'GET',
    rawPath: queryAt === -1 ? pathAndQuery : pathAndQuery.slice(0, queryAt),
    rawQuery: queryAt === -1 ? '' : pathAndQuery.slice(queryAt + 1),
    host: authority ?? headers.host ?? '',
    isSecure,
    knownProtocol,
    tls: () => tlsOf(socket, isPeer),
    remoteAddress,
    isFromLoopback: () => isFromLoopback(socket, header),
    header,
    headerNames: () => Object.keys(headers),
    body: () => createByteSource(incoming, settings.idleMs),
    notes: newRequestNotes(),
    onSent: (report) => onSent(incoming, outgoing, report),
    whenGone: (release) => watchEnd(incoming, outgoing, release),
    respond: respondWithChunks,
  };
}

/** Calls `release` once the client has ended its side, or the connection is gone. */
function watchEnd({ socket }: IncomingMessage, outgoing: ServerResponse, release: () => void) {
  if (socket.readableEnded || outgoing.destroyed) release();
  socket.once('end', release);
  outgoing.once('close', () => {
    socket.off('end', release);
    release();
  });
}

/**
 * Splits a target; the absolute form of proxies has an authority. Source: RFC 9112,
 * 3.2.2.
 */
export function splitTarget(target: string): { authority: string | null; pathAndQuery: string } {
  if (target.startsWith('/')) return { authority: null, pathAndQuery: target };
  const scheme = /^https?:\/\//i.exec(target);
  if (scheme === null) return { authority: null, pathAndQuery: `/${target}` };
  const rest = target.slice(scheme[0].length);
  const end = rest.search(/[/?]/);
  if (end === -1) return { authority: rest, pathAndQuery: '/' };
  const path = rest.slice(end);
  return { authority: rest.slice(0, end), pathAndQuery: path.startsWith('/') ? path : `/${path}` };
}

function createByteSource(incoming: IncomingMessage, idleMs: number): ByteSource {
  const lengthBytes = declaredLength(incoming);
  return {
    lengthBytes,
    pump(onChunk, isBorrowed = false) {
      if (lengthBytes === 0) return Promise.resolve();
      sendContinue(incoming);
      return pump(incoming, lengthBytes, idleMs, isBorrowed ? freeAfter(onChunk) : onChunk);
    },
  };
}

/**
 * The declared length. Node's parser has refused malformed ones, and a length
 * beside chunks.
 */
function declaredLength({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

/** Sends `100 Continue` to a client that waits for it. */
export function sendContinue(incoming: IncomingMessage): void {
  awaitingContinue.get(incoming)?.writeContinue();
  continueOnSameConnection(incoming);
}

function continueOnSameConnection(incoming: IncomingMessage): void {
  const outgoing = awaitingContinue.get(incoming);
  if (outgoing === undefined) return;
  awaitingContinue.delete(incoming);
  outgoing.shouldKeepAlive = !/(^|[\s,])close($|[\s,])/i.test(incoming.headers.connection ?? '');
}

/**
 * Frees the memory of each chunk once its receiver is done with it. Otherwise it
 * waits for the garbage collector, which these 64 KiB a read start again and again:
 * a fifth of the CPU of a large PUT (bench/README.md, upload-cpu).
 */
function freeAfter(onChunk: OnChunk): OnChunk {
  return (chunk) => {
    const pending = onChunk(chunk);
    if (pending === undefined) return freeBytes(chunk);
    return pending.then(() => freeBytes(chunk));
  };
}

/**
 * Reads a request's body to its end. IncompleteBody when it ends early,
 * RequestTimeout when nothing comes for `idleMs`, or on TOO_SLOW.
 */
export function pump(
  incoming: Readable,
  lengthBytes: number | null,
  idleMs: number,
  onChunk: OnChunk,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let receivedBytes = 0;
    let isPaused = false;
    let isEnded = false;
    let isSettled = false;
    // Time that the server takes itself does not count against the client: the
    // timer then fires in vain, and resume starts it anew.
    const timer = setTimeout(() => {
      if (!isPaused) onSlow();
    }, idleMs);
    const onSlow = () => settle(new StorageError('RequestTimeout'));

    function settle(error: unknown): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      incoming.off('data', onData);
      incoming.off('end', onEnd);
      incoming.off('error', onGone);
      incoming.off('close', onGone);
      incoming.off(TOO_SLOW, onSlow);
      if (error === null) {
        resolve();
        return;
      }
      // The response decides on the rest of the body: @hono/node-server drains a
      // little of it, then hangs up.
      incoming.pause();
      reject(error);
    }
    function onData(chunk: Buffer): void {
      receivedBytes += chunk.length;
      timer.refresh();
      try {
        const pending = onChunk(chunk);
        if (pending === undefined) return;
        // Backpressure: nothing more is read until the chunk has been taken.
        isPaused = true;
        incoming.pause();
        pending.then(resume, settle);
      } catch (error) {
        settle(error);
      }
    }
    function resume(): void {
      if (isSettled) return;
      isPaused = false;
      if (isEnded) {
        onEnd();
      } else {
        timer.refresh();
        incoming.resume();
      }
    }
    /**
     * The end also comes right after the last chunk while the request is paused.
     */
    function onEnd(): void {
      isEnded = true;
      if (isPaused) return;
      const isWhole = lengthBytes === null || receivedBytes === lengthBytes;
      settle(isWhole ? null : new StorageError('IncompleteBody'));
    }
    function onGone(cause?: unknown): void {
      if (!isEnded) settle(new StorageError('IncompleteBody', { cause }));
    }

    incoming.on('data', onData);
    incoming.on('end', onEnd);
    incoming.on('error', onGone);
    incoming.on('close', onGone);
    incoming.on(TOO_SLOW, onSlow);
    if (incoming.destroyed || incoming.readableEnded) onGone();
  });
}
