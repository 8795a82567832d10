// Signed requests for `/b/k`, in their header and in their query, and whoever judges them.
import { expect } from 'vitest';
import { StorageError } from '../../../../src/domain/errors.ts';
import type { AccountId } from '../../../../src/domain/nouns.ts';
import {
  type AuthenticatorOptions,
  createAuthenticator,
} from '../../../../src/http/s3/signature/authenticate.ts';
import { makeRequest, type RequestParts } from './make-request.ts';
import {
  ACCESS_KEY_ID,
  AMZ_DATE,
  type CanonicalParts,
  canonicalText,
  NOW_MS,
  SECRET,
  type SignOptions,
  scopeOf,
  signCanonical,
  signHeaders,
} from './sign-for-test.ts';

export const account = { id: 'owner' as AccountId, displayName: 'owner' };
export const MINUTE_MS = 60_000;

export function authenticator(options: Partial<AuthenticatorOptions> = {}) {
  return createAuthenticator({
    findAccessKey: (id) => (id === ACCESS_KEY_ID ? { id, secret: SECRET, account } : null),
    nowMs: () => NOW_MS,
    region: 'auto',
    isSignatureV2On: true,
    ownHosts: [],
    ...options,
  }).authenticate;
}
export const authenticate = authenticator();

/** The error that a request ends in. */
export async function failure(parts: RequestParts, run = authenticate): Promise<StorageError> {
  try {
    await run(makeRequest(parts));
  } catch (error) {
    if (error instanceof StorageError) {
      const shown = `${error.message} ${JSON.stringify(error.fields)}`;
      expect(shown).not.toContain(SECRET);
      return error;
    }
    throw error;
  }
  throw new Error('the request was accepted');
}

/** A request for `/b/k` that is signed in its header. */
export function signed(
  parts: Partial<CanonicalParts> = {},
  options: SignOptions = {},
): Record<string, string> {
  return signHeaders({ path: '/b/k', headers: {}, ...parts }, options);
}

type Presign = SignOptions & {
  readonly expires?: string;
  readonly extra?: Record<string, string>;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly payloadHash?: string;
};

/** Path and query of a presigned URL for `/b/k`. */
export function presign(options: Presign = {}): string {
  const headers = { host: 'storage.example', ...options.headers };
  const query = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${options.accessKeyId ?? ACCESS_KEY_ID}/${scopeOf(options)}`,
    'X-Amz-Date': options.amzDate ?? AMZ_DATE,
    'X-Amz-Expires': options.expires ?? '60',
    'X-Amz-SignedHeaders': Object.keys(headers).join(';'),
    ...options.extra,
  };
  const text = Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const payloadHash = options.payloadHash ?? 'UNSIGNED-PAYLOAD';
  const canonical = canonicalText({
    method: options.method ?? 'GET',
    path: '/b/k',
    query: text,
    headers,
    payloadHash,
  });
  return `/b/k?${text}&X-Amz-Signature=${signCanonical(canonical, options)}`;
}
export const HOST = { host: 'storage.example' };
