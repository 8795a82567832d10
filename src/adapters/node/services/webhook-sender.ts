// Sends webhooks on Node. A name is resolved once, here: every address behind it must be public,
// and the connection goes to the one that was looked at, so that a name which answers otherwise the
// second time gains nothing. No redirect is followed, no proxy is asked, no cookie is kept. The
// dispatcher calls it.
import { type LookupAddress, lookup as resolve } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../../domain/public-address.ts';
import { type WebhookAnswer, WebhookFailure, type WebhookSender } from '../../../ports/outbox.ts';

/**
 * An answer's body means nothing; so much of it is read, bytes, that the connection ends in good
 * order.
 */
const ANSWER_MAX_BYTES = 64 * 1024;
const HEADERS_MAX_BYTES = 16 * 1024;

/** `mayBePrivate`: whether any address is fine, and plain http. */
export function createWebhookSender(mayBePrivate: boolean): WebhookSender {
  const lookup = guardedLookup(mayBePrivate);
  return {
    post({ url: text, headers, body, timeoutMs }) {
      const url = new URL(text);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      // A literal address is never looked up, so it is looked at here.
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
      return answered((isSecure ? requestHttps : requestHttp)(url, options), bytes);
    },
  };
}

function answered(request: ClientRequest, bytes: Buffer): Promise<WebhookAnswer> {
  return new Promise((resolveAnswer, reject) => {
    // What breaks after the answer's head changes nothing any more, but must not be left unheard.
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

/**
 * Reads an answer's body and drops it; one that is too long, or breaks off, has said what matters
 * in its head.
 */
function readAway(response: IncomingMessage, done: () => void): void {
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > ANSWER_MAX_BYTES) response.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', done);
}

/** Looks a name up and gives one address of it, if all are public. */
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

/** Node's own words may tell of addresses inside: the account sees ours. */
function toFailure(cause: Error): WebhookFailure {
  if (cause instanceof WebhookFailure) return cause;
  const { code = '' } = cause as NodeJS.ErrnoException;
  const isTls = code.startsWith('ERR_TLS') || code.includes('CERT') || code.startsWith('ERR_SSL');
  const message =
    CAUSES[code] ?? (isTls ? 'Its certificate is not trusted.' : 'The request failed.');
  return new WebhookFailure(message, { cause });
}
