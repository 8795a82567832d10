// The secrets of webhooks, and the signatures made with them, by Standard Webhooks.
// A secret is `whsec_` and base64; a signature is over id, time and body of a
// message. Secrets are stored wrapped by the master key, and none may reach a log.
// Source:
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { hmacSha256 } from '../../crypto/hash.ts';
import { randomKey } from '../../crypto/key-wrap.ts';
import type { WebhookEndpoint, WebhookSecret } from '../../domain/webhooks.ts';
import { type MasterKeys, unwrapWithMaster, wrapWithMaster } from '../encryption/master-keys.ts';

const PREFIX = 'whsec_';

/**
 * Makes a secret: the text for the account, shown once, and the wrapped form to
 * store. ServiceUnavailable (no master key).
 */
export function makeSecret(
  masterKeys: MasterKeys,
  webhookId: string,
): { text: string; stored: WebhookSecret } {
  const key = randomKey();
  const wrapped = wrapWithMaster(masterKeys, key, boundOf(webhookId));
  return { text: PREFIX + key.toBase64(), stored: { wrapped, endsAtMs: null } };
}

/** Binds a wrapped secret to its webhook. */
function boundOf(webhookId: string): string {
  return `webhook secret ${webhookId}`;
}

/**
 * Makes the signature headers of one attempt, signed by each secret that is valid
 * at the time, so that a receiver can rotate them. ServiceUnavailable (a master key
 * is missing). Cost: 25 µs a secret.
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
