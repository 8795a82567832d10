// The secrets of webhooks and the signatures made with them, as Standard Webhooks has it: `whsec_`
// and base64; a message is signed over its id, its time and its body. Kept wrapped by the master
// key. No secret may reach a log. Source:
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { hmacSha256 } from '../../crypto/hash.ts';
import { randomKey } from '../../crypto/key-wrap.ts';
import type { WebhookEndpoint, WebhookSecret } from '../../domain/webhooks.ts';
import { type MasterKeys, unwrapWithMaster, wrapWithMaster } from '../encryption/master-keys.ts';

const PREFIX = 'whsec_';

/**
 * A new secret: the text for the account, shown once, and what is kept. ServiceUnavailable (no
 * master key).
 */
export function makeSecret(
  masterKeys: MasterKeys,
  webhookId: string,
): { text: string; kept: WebhookSecret } {
  const key = randomKey();
  const wrapped = wrapWithMaster(masterKeys, key, boundOf(webhookId));
  return { text: PREFIX + key.toBase64(), kept: { wrapped, endsAtMs: null } };
}

/** A wrapped secret can't be put in another webhook's place. */
function boundOf(webhookId: string): string {
  return `webhook secret ${webhookId}`;
}

/**
 * The headers of one attempt, signed by each secret that counts at the time, so that a receiver can
 * change over. ServiceUnavailable (a master key is missing). Cost: 25 µs a secret.
 */
export function signatureHeaders(
  masterKeys: MasterKeys,
  webhook: Pick<WebhookEndpoint, 'id' | 'secrets'>,
  message: { readonly id: string; readonly body: string; readonly nowMs: number },
): Record<string, string> {
  const timestamp = `${Math.floor(message.nowMs / 1000)}`;
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = webhook.secrets
    .filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > message.nowMs)
    .map(({ wrapped }) => {
      const key = unwrapWithMaster(masterKeys, wrapped, boundOf(webhook.id));
      return `v1,${hmacSha256(key, signed).toBase64()}`;
    });
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
