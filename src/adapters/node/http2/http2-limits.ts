// Limits of what clients of HTTP/2 send: connections that are mostly control frames,
// and bodies that come too slowly. http2-sessions.ts checks once a second.
import type { ServerHttp2Stream } from 'node:http2';
import { TOO_SLOW } from '../server/http-request.ts';
import { BODY_CREDIT_MS } from '../server/socket-timeouts.ts';
import { cutShort } from './cut-short.ts';

/**
 * What a session may send besides requests and bodies: so many bytes, and as many
 * more as FLOOD_SHARE times what was useful. Pings, settings, window updates and
 * unknown frames count so. Source: ngx_http_v2.c of nginx, "http2 flood detected"
 */
const FLOOD_BYTES = 1024 * 1024;
const FLOOD_SHARE = 8;
/** Bytes of the frame of a request besides its headers, with their lengths. */
export const REQUEST_BYTES = 64;
/**
 * Whether a connection has sent too much that was of no use. `usefulBytes`: of
 * requests, and of bodies both ways.
 */
export function isFlood(readBytes: number, usefulBytes: number): boolean {
  return readBytes > FLOOD_BYTES + FLOOD_SHARE * usefulBytes;
}

/** A body that is being read, for its rate. */
export type Reception = {
  readonly stream: ServerHttp2Stream;
  receivedBytes: number;
  creditMs: number;
};

/** Watches the body of a stream until its end. */
export function watchBody(receptions: Set<Reception>, stream: ServerHttp2Stream): Reception {
  const reception = { stream, receivedBytes: 0, creditMs: BODY_CREDIT_MS };
  receptions.add(reception);
  const forget = () => receptions.delete(reception);
  stream.once('end', forget);
  stream.once('close', forget);
  return reception;
}

/**
 * Whether a body comes slower than it must, over a minute. While nobody reads it,
 * that is not its client's fault.
 */
export function isSlow(reception: Reception, receiveRateMin: number, passedMs: number): boolean {
  const { stream, receivedBytes } = reception;
  reception.receivedBytes = 0;
  if (receiveRateMin === 0 || stream.readableFlowing !== true) {
    reception.creditMs = BODY_CREDIT_MS;
    return false;
  }
  const creditMs = reception.creditMs - passedMs + (receivedBytes * 1000) / receiveRateMin;
  reception.creditMs = Math.min(BODY_CREDIT_MS, creditMs);
  return reception.creditMs <= 0;
}

/**
 * Ends a slow body: its reader gets an error to respond with; without one the stream is reset.
 */
export function refuseSlow(stream: ServerHttp2Stream): void {
  if (!stream.emit(TOO_SLOW)) cutShort(stream, new Error('The body came too slowly.'));
}
