// A key and a self-signed certificate for `localhost` and 127.0.0.1, made on the spot from
// node:crypto, which can sign but has no way to write certificates: so the few bytes of DER are
// written here. Source: RFC 5280 section 4.1.
import { createSign, generateKeyPairSync } from 'node:crypto';

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const utcTime = (text: string) => der(0x17, Buffer.from(text));

/** The names that clients compare: DNS:localhost and IP:127.0.0.1. */
const SUBJECT_NAMES = der(
  0xa3,
  sequence(
    sequence(
      oid(0x55, 0x1d, 0x11),
      der(
        0x04,
        sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1]))),
      ),
    ),
  ),
);

/** `YYMMDDHHMMSSZ`, the first second and the last in which it is good. */
export type Validity = { readonly notBefore?: string; readonly notAfter?: string };

/** PEM of both. Good from 2020 until 2049. */
export function makeSelfSigned({
  notBefore = '200101000000Z',
  notAfter = '491231235959Z',
}: Validity = {}): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const name = sequence(
    der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('localhost')))),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(notBefore), utcTime(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    SUBJECT_NAMES,
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
