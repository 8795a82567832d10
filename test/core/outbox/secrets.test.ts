// By which of its secrets a message of a webhook is signed: each until its end, and not with it.
import { expect, it } from 'vitest';
import { makeSecret, signatureHeaders } from '../../../src/core/outbox/secrets.ts';
import { hmacSha256 } from '../../../src/crypto/hash.ts';
import { MASTER_KEYS } from '../memory-core.ts';

const NOW_MS = 1_800_000_000_999;

it.each([
  [null, 2],
  [NOW_MS + 1, 2],
  [NOW_MS, 1],
  [NOW_MS - 1, 1],
])('with an old secret that ends at %j there are %d signatures', (endsAtMs, count) => {
  const [older, newer] = [makeSecret(MASTER_KEYS, 'wh_1'), makeSecret(MASTER_KEYS, 'wh_1')];
  const webhook = { id: 'wh_1', secrets: [newer.stored, { ...older.stored, endsAtMs }] };
  const message = { id: 'message', body: '{"a":1}', nowMs: NOW_MS };
  const headers = signatureHeaders(MASTER_KEYS, webhook, message);
  const expected = [newer, older].slice(0, count).map(({ text }) => {
    const key = Uint8Array.fromBase64(text.slice('whsec_'.length));
    return `v1,${hmacSha256(key, 'message.1800000000.{"a":1}').toBase64()}`;
  });
  expect(headers).toEqual({
    'webhook-id': 'message',
    'webhook-timestamp': '1800000000',
    'webhook-signature': expected.join(' '),
  });
});
