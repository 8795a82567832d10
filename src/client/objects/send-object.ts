// One attempt of a request about an object, through whichever backend.
import type { Fetch } from '../credential.ts';
import { failureOf } from '../read-failure.ts';
import type { Backend, ObjectCall } from './backend.ts';
import { bytesOfPiece, type Piece } from './piece.ts';
import { canReport, sendReporting } from './send-reporting.ts';

export type Sending = {
  readonly body?: Piece;
  readonly signal?: AbortSignal | undefined;
  /**
   * Bytes of the body that have left, again and again; only where the platform says
   * so.
   */
  readonly onSent?: (bytes: number) => void;
};

/** Sends a call; rejects with a QuaysideError unless the server answers 2xx. */
export type SendObject = (call: ObjectCall, sending?: Sending) => Promise<Response>;

/**
 * The bytes as they are stored: what a server or a proxy compressed on the way
 * could be neither resumed nor verified. Not signed, since proxies change it;
 * browsers leave it out.
 */
const IDENTITY = { 'accept-encoding': 'identity' };

/** `isOwn`: the caller's own fetch, past which nothing may go. */
export function createSendObject(backend: Backend, fetch: Fetch, isOwn: boolean): SendObject {
  async function attempt(call: ObjectCall, { body, signal, onSent }: Sending): Promise<Response> {
    const { url, headers } = await backend.address(call, signal);
    signal?.throwIfAborted();
    if (body !== undefined && onSent !== undefined && !isOwn && canReport()) {
      return sendReporting({ method: call.method, url, headers, body, signal, onSent });
    }
    return fetch(url, {
      method: call.method,
      headers: { ...headers, ...IDENTITY },
      signal: signal ?? null,
      ...(body === undefined ? {} : { body }),
    });
  }

  return async (call, sending = {}) => {
    const response = await attempt(call, sending).catch(async (cause: unknown) => {
      // A file that changed meanwhile breaks its request as a cut line does.
      const { body, signal } = sending;
      if (body && !signal?.aborted) await bytesOfPiece(body.slice(0, 1));
      throw cause;
    });
    if (response.ok) return response;
    throw await failureOf(response, backend.learnClock);
  };
}
