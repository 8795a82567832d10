// The signing keys of SigV4, against the example of the AWS documentation.
import { describe, expect, it } from 'vitest';
import {
  createSigningKeys,
  deriveSigningKey,
  isSignatureOf,
} from '../../src/crypto/signing-keys.ts';

// Source:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html and
// AWS's S3 example "GET object", whose string to sign and signature these are.
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SCOPE = { date: '20130524', region: 'us-east-1', service: 's3' };
const STRING_TO_SIGN = [
  'AWS4-HMAC-SHA256',
  '20130524T000000Z',
  '20130524/us-east-1/s3/aws4_request',
  '7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972',
].join('\n');
const SIGNATURE = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';

describe('deriveSigningKey and isSignatureOf', () => {
  const key = deriveSigningKey(SECRET, SCOPE);

  it('agree with the published signature, and with no other', () => {
    expect(isSignatureOf(key, STRING_TO_SIGN, SIGNATURE)).toBe(true);
    expect(isSignatureOf(key, `${STRING_TO_SIGN} `, SIGNATURE)).toBe(false);
    for (let index = 0; index < SIGNATURE.length; index += 1) {
      const other = SIGNATURE[index] === '0' ? '1' : '0';
      const changed = `${SIGNATURE.slice(0, index)}${other}${SIGNATURE.slice(index + 1)}`;
      expect(isSignatureOf(key, STRING_TO_SIGN, changed)).toBe(false);
    }
  });

  it.each([
    '',
    SIGNATURE.slice(1),
    `${SIGNATURE}0`,
    SIGNATURE.toUpperCase(),
    'é'.repeat(64),
    '\u{1F600}'.repeat(32),
  ])('take %j for no signature', (signature) => {
    expect(isSignatureOf(key, STRING_TO_SIGN, signature)).toBe(false);
  });

  it.each([{ date: '20130525' }, { region: 'eu-west-1' }, { service: 'ec2' }])(
    'differ for %j',
    (change) => {
      expect(
        isSignatureOf(deriveSigningKey(SECRET, { ...SCOPE, ...change }), STRING_TO_SIGN, SIGNATURE),
      ).toBe(false);
    },
  );
});

describe('createSigningKeys', () => {
  it('finds a key again under the same secret only', () => {
    const keys = createSigningKeys();
    const key = deriveSigningKey(SECRET, SCOPE);
    expect(keys.find('a', SECRET)).toBeNull();
    keys.keep('a', SECRET, key);
    expect(keys.find('a', SECRET)).toBe(key);
    expect(keys.find('a', 'changed')).toBeNull();
    expect(keys.find('b', SECRET)).toBeNull();
  });

  it('keeps a bounded number, the latest used', () => {
    const keys = createSigningKeys();
    const key = deriveSigningKey(SECRET, SCOPE);
    for (let index = 0; index < 5000; index += 1) keys.keep(`${index}`, SECRET, key);
    expect(keys.find('0', SECRET)).toBeNull();
    expect(keys.find('4999', SECRET)).toBe(key);
  });
});
