// Sends webhooks on Cloudflare. A Worker's requests leave for the internet alone:
// there is no private network, no metadata service and no loopback behind fetch,
// whatever a name resolves to. So what stands in the URL is looked at, and the rest
// is the runtime's. The dispatcher calls it, inside of Durable Objects.

import { mayBePublicHost } from '../../../domain/public-address.ts';
import { WebhookFailure, type WebhookSender } from '../../../ports/outbox.ts';

/** `mayBePrivate`: for wrangler dev, where fetch does reach the machine itself. */
export function createFetchSender(mayBePrivate: boolean): WebhookSender {
  return {
    async post({ url, headers, body, timeoutMs }) {
      const { hostname, protocol } = new URL(url);
      if (!mayBePrivate && protocol !== 'https:') throw new WebhookFailure('The URL is not https.');
      if (!mayBePrivate && !mayBePublicHost(hostname))
        throw new WebhookFailure('The address of the host is not public.');
      const signal = AbortSignal.timeout(timeoutMs);
      let response: Response;
      try {
        response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      } catch (cause) {
        throw new WebhookFailure(
          signal.aborted ? 'It did not answer in time.' : 'The request failed.',
          { cause },
        );
      }
      // Nothing of the response's body is wanted; a body that nobody takes would hold
      // the connection.
      await response.body?.cancel().catch(() => undefined);
      return { status: response.status, retryAfter: response.headers.get('retry-after') };
    },
  };
}
