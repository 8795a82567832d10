// Mistakes that clients make when they sign a URL by Signature Version 2, each with
// what they have signed then. authenticate.ts has the doctor try them after a
// signature failed.
import { canonicalPath } from './canonical-request.ts';
import type { SignedPartsV2 } from './signed-url-v2.ts';

/** A sentence for people, and what a client that made the mistake has signed. */
export type MistakeV2 = { readonly finding: string; readonly signed: SignedPartsV2 };

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE'];

/**
 * Mistakes to try, likely ones first. Those that change nothing are harmless: the
 * request as it came has not the signature.
 */
export function* mistakesV2(parts: SignedPartsV2): Generator<MistakeV2> {
  const { method, contentType, amzHeaders, parameters, path } = parts;
  yield {
    finding:
      `The request has Content-Type "${contentType.slice(0, 100)}", but the URL was signed ` +
      'without one: send none, or sign it.',
    signed: { ...parts, contentType: '' },
  };
  yield {
    finding: 'The request has Content-MD5, but the URL was signed without one.',
    signed: { ...parts, contentMd5: '' },
  };
  for (const [name] of amzHeaders) {
    yield {
      finding:
        `The header or parameter ${name.slice(0, 100)} was added to the URL after it was ` +
        'signed.',
      signed: { ...parts, amzHeaders: amzHeaders.filter((header) => header[0] !== name) },
    };
  }
  for (const [name] of parameters) {
    yield {
      finding:
        `The parameter ${name} was added to the URL after it was signed, or its signer does ` +
        'not sign it.',
      signed: { ...parts, parameters: parameters.filter((parameter) => parameter[0] !== name) },
    };
  }
  for (const other of METHODS) {
    yield {
      finding: `The URL was signed for ${other}, but came as ${method}.`,
      signed: { ...parts, method: other },
    };
  }
  for (const [other, finding] of [
    [
      path.replace(/^\/[^/]+/, '') || '/',
      'The path was signed without the bucket, which Version 2 always signs.',
    ],
    [canonicalPath(path), 'The path was signed in another encoding than it was sent in.'],
    [canonicalPath(path).replaceAll('%', '%25'), 'The path was encoded twice when it was signed.'],
  ] as const) {
    yield { finding, signed: { ...parts, path: other } };
  }
}
