// Makes URLs that carry their own signature, for whoever may send one request
// without a key of their own: browsers above all. The JSON API calls it; what such
// a URL may do is decided when it is used, as of every signed request. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
import { sha256Hex } from '../../../crypto/hash.ts';
import { deriveSigningKey, signatureOf } from '../../../crypto/signing-keys.ts';
import type { AccessKey } from '../../../domain/nouns.ts';
import { encodeForXmlUrl } from '../../semantics/raw-path.ts';
import { canonicalRequest, parseCanonicalQuery } from './canonical-request.ts';
import { formatAmzDate } from './request-time.ts';

export type PresignRequest = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** `https://storage.example.org`: the address of the service, path-style. */
  readonly origin: string;
  readonly bucket: string;
  readonly key: string;
  /** What is signed in place of the key, where the URL is for all keys of a prefix. */
  readonly keyPrefix?: string | undefined;
  /** Parameters of the operation. */
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; who uses the URL must send exactly these. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresSeconds: number;
};

/** Pure. Cost: 35 µs, most of it the derived key. */
export function presignUrl(
  accessKey: Pick<AccessKey, 'id' | 'secret'>,
  { method, origin, bucket, key, keyPrefix, query, headers, expiresSeconds }: PresignRequest,
  { nowMs, region }: { readonly nowMs: number; readonly region: string },
): string {
  const amzDate = formatAmzDate(nowMs);
  const scope = `${amzDate.slice(0, 8)}/${region}/s3/aws4_request`;
  const signedHeaders = ['host', ...Object.keys(headers)].toSorted();
  const parameters: Readonly<Record<string, string>> = {
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKey.id}/${scope}`,
    'X-Amz-Date': amzDate,
    'X-Amz-Expires': `${expiresSeconds}`,
    'X-Amz-SignedHeaders': signedHeaders.join(';'),
  };
  const rawQuery = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const pathOf = (text: string) => `/${bucket}/${encodeForXmlUrl(text)}`;
  const signed = {
    method,
    rawPath: pathOf(keyPrefix ?? key),
    host: origin.slice(origin.indexOf('//') + 2),
    header: (name: string) => headers[name] ?? null,
  };
  const claims = {
    query: parseCanonicalQuery(rawQuery),
    signedHeaders: new Set(signedHeaders),
    signedHeadersText: signedHeaders.join(';'),
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
  const canonicalHash = sha256Hex(canonicalRequest(signed, claims, false));
  const text = `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${canonicalHash}`;
  const signingKey = deriveSigningKey(accessKey.secret, {
    date: amzDate.slice(0, 8),
    region,
    service: 's3',
  });
  return `${origin}${pathOf(key)}?${rawQuery}&X-Amz-Signature=${signatureOf(signingKey, text)}`;
}
