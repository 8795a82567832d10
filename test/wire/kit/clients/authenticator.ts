// An authenticator in software: makes passkeys and signs with them as a phone would, so that tests
// can play both ceremonies of WebAuthn. Source: https://www.w3.org/TR/webauthn-3/ sections 6.1 and
// 6.5, RFC 9052 for the key.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/**
 * CBOR of what an attestation needs: small whole numbers, texts, bytes and maps. Source: RFC 8949.
 */
function cbor(value: number | string | Uint8Array | Map<number | string, unknown>): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item as string)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** One authenticator with one passkey for one site. */
export function createAuthenticator(site: { readonly rpId: string; readonly origin: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counter = 0;

  const clientData = (type: string, challenge: string, origin = site.origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authData = (flags: number, rpId = site.rpId) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  };
  const shared = { id: b64(id), rawId: b64(id), type: 'public-key', clientExtensionResults: {} };

  return {
    id: b64(id),
    /** The answer to registration options. */
    register(challenge: string, origin?: string) {
      const key = new Map<number | string, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const length = Buffer.from([id.length >> 8, id.length & 255]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cbor(key)]);
      const data = Buffer.concat([authData(USER_PRESENT | USER_VERIFIED | HAS_KEY), attested]);
      const object = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data],
      ]);
      const clientDataJSON = b64(clientData('webauthn.create', challenge, origin));
      return {
        ...shared,
        response: {
          clientDataJSON,
          attestationObject: b64(cbor(object)),
          transports: ['internal'],
        },
      };
    },
    /** The answer to authentication options. */
    authenticate(
      challenge: string,
      given: { origin?: string; rpId?: string; isVerified?: boolean } = {},
    ) {
      const client = clientData('webauthn.get', challenge, given.origin);
      const data = authData(
        USER_PRESENT | (given.isVerified === false ? 0 : USER_VERIFIED),
        given.rpId,
      );
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        ...shared,
        response: {
          clientDataJSON: b64(client),
          authenticatorData: b64(data),
          signature: b64(signature),
        },
      };
    },
  };
}
