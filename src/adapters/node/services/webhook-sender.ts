// Sends webhooks on Node. Race: a name resolves to a public address for the check,
// and to a private one for the connection (DNS rebinding). Guard: it is resolved
// once, every address must be public, and the connection goes to the checked one.
// No redirect, proxy or cookie is used. The dispatcher calls it.
import { type LookupAddress, lookup as resolve } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../../domain/public-address.ts';
import { WebhookFailure, type WebhookResponse, type WebhookSender } from '../../../ports/outbox.ts';

/**
 * Bytes of a response's body that are read and dropped, so that the connection ends
 * in order.
 */
const RESPONSE_MAX_BYTES = 64 * 1024;
const HEADERS_MAX_BYTES = 16 * 1024;

/**
 * Makes the sender. `mayBePrivate`: whether any address may be called, and plain
 * http.
 */
export function createWebhookSender(mayBePrivate: boolean): WebhookSender {
  const lookup = guardedLookup(mayBePrivate);
  return {
    post({ url: text, headers, body, timeoutMs }) {
      const url = new URL(text);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      // A literal address is never resolved, so it is checked here.
      if (isIP(host) !== 0 && !mayBePrivate && !isPublicAddress(host))
        return Promise.reject(notPublic());
      const isSecure = url.protocol === 'https:';
      if (!isSecure && !mayBePrivate)
        return Promise.reject(new WebhookFailure('The URL is not https.'));
      const bytes = Buffer.from(body);
      const options = {
        method: 'POST',
        headers: { ...headers, 'content-length': `${bytes.length}` },
        lookup,
        agent: false as const,
        maxHeaderSize: HEADERS_MAX_BYTES,
        signal: AbortSignal.timeout(timeoutMs),
      };
      return send((isSecure ? requestHttps : requestHttp)(url, options), bytes);
    },
  };
}

/** Sends the body, and resolves with the head of the response. */
function send(request: ClientRequest, bytes: Buffer): Promise<WebhookResponse> {
  return new Promise((resolveAnswer, reject) => {
    // An error after the response's head changes nothing any more, but needs a
    // listener.
    request.on('error', (cause) => reject(toFailure(cause)));
    request.once('response', (response) => {
      request.removeAllListeners('error').on('error', () => undefined);
      readAway(response, () => {
        resolveAnswer({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'] ?? null,
        });
      });
    });
    request.end(bytes);
  });
}

/** Reads a response's body and drops it; its head has said what matters. */
function readAway(response: IncomingMessage, done: () => void): void {
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > RESPONSE_MAX_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', done);
}

/** Resolves a name to one address of it, if all are public. */
function guardedLookup(mayBePrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        return callback(error ?? new WebhookFailure('The name of the host is not known.'), '', 0);
      }
      if (!mayBePrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(notPublic(), '', 0);
      }
      if (options.all === true) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function notPublic(): WebhookFailure {
  return new WebhookFailure('The address of the host is not public.');
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name of the host is not known.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection broke.',
  EPIPE: 'The connection broke.',
  ETIMEDOUT: 'The connection timed out.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ABORT_ERR: 'It did not answer in time.',
};

/**
 * Translates an error. Node's own text may contain internal addresses, so the
 * account sees ours.
 */
function toFailure(cause: Error): WebhookFailure {
  if (cause instanceof WebhookFailure) return cause;
  const { code = '' } = cause as NodeJS.ErrnoException;
  const isTls = code.startsWith('ERR_TLS') || code.includes('CERT') || code.startsWith('ERR_SSL');
  const message =
    CAUSES[code] ?? (isTls ? 'Its certificate is not trusted.' : 'The request failed.');
  return new WebhookFailure(message, { cause });
}
