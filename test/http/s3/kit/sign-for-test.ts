// A signer of its own for the tests: it signs the canonical request that a test spells out, so that
// what the server must make of a request stands in the test. Nothing of src/ is used here.
import { createHash, createHmac } from 'node:crypto';

export const ACCESS_KEY_ID = 'AKIAIOSFODNN7EXAMPLE';
/** The secret of AWS's published examples. */
export const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
export const AMZ_DATE = '20130524T000000Z';
export const NOW_MS = Date.UTC(2013, 4, 24);
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Uint8Array, text: string): Uint8Array =>
  createHmac('sha256', key).update(text).digest();

export type SignOptions = {
  readonly secret?: string;
  readonly accessKeyId?: string;
  readonly amzDate?: string;
  readonly region?: string;
  readonly service?: string;
};

function signingKey({
  secret = SECRET,
  amzDate = AMZ_DATE,
  region = 'us-east-1',
  service = 's3',
}: SignOptions) {
  return hmac(
    hmac(hmac(hmac(`AWS4${secret}`, amzDate.slice(0, 8)), region), service),
    'aws4_request',
  );
}

export function scopeOf({
  amzDate = AMZ_DATE,
  region = 'us-east-1',
  service = 's3',
}: SignOptions): string {
  return `${amzDate.slice(0, 8)}/${region}/${service}/aws4_request`;
}

export function stringToSign(canonical: string | Uint8Array, options: SignOptions = {}): string {
  const amzDate = options.amzDate ?? AMZ_DATE;
  return `AWS4-HMAC-SHA256\n${amzDate}\n${scopeOf(options)}\n${sha256(canonical)}`;
}

export function signText(text: string, options: SignOptions = {}): string {
  return Buffer.from(hmac(signingKey(options), text)).toString('hex');
}

/** Signature of a canonical request, given as text (UTF-8) or bytes. */
export function signCanonical(canonical: string | Uint8Array, options: SignOptions = {}): string {
  return signText(stringToSign(canonical, options), options);
}

export type CanonicalParts = {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  /** Signed headers with their canonical values, in the order of the names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadHash?: string;
};

export function canonicalText(parts: CanonicalParts): string {
  const lines = Object.entries(parts.headers).map(([name, value]) => `${name}:${value}\n`);
  const names = Object.keys(parts.headers).join(';');
  const target = `${parts.method ?? 'GET'}\n${parts.path}\n${parts.query ?? ''}\n`;
  return `${target}${lines.join('')}\n${names}\n${parts.payloadHash ?? EMPTY_SHA256}`;
}

/** Headers of a request signed in its Authorization header. */
export function signHeaders(
  parts: CanonicalParts,
  options: SignOptions = {},
): Record<string, string> {
  const headers = {
    host: 'storage.example',
    'x-amz-content-sha256': parts.payloadHash ?? EMPTY_SHA256,
    'x-amz-date': options.amzDate ?? AMZ_DATE,
    ...parts.headers,
  };
  const sorted = Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)));
  const signature = signCanonical(canonicalText({ ...parts, headers: sorted }), options);
  return {
    ...headers,
    authorization:
      `AWS4-HMAC-SHA256 Credential=${options.accessKeyId ?? ACCESS_KEY_ID}/` +
      `${scopeOf(options)}, SignedHeaders=${Object.keys(sorted).join(';')}, ` +
      `Signature=${signature}`,
  };
}

export const signatureOf = (headers: Readonly<Record<string, string>>): string =>
  /Signature=([0-9a-f]{64})/.exec(headers.authorization ?? '')?.[1] ?? '';

/**
 * Frames and signs chunks; with trailers, ends in them and their signature, in AWS's layout or in
 * minio-go's.
 */
export function frameSigned(
  chunks: readonly Uint8Array[],
  seedSignature: string,
  trailers: Readonly<Record<string, string>> | null = null,
  layout: 'aws' | 'minio-go' = 'aws',
): Uint8Array {
  const key = signingKey({});
  let previous = seedSignature;
  const sign = (algorithm: string, rest: string): string => {
    const text = `${algorithm}\n${AMZ_DATE}\n${scopeOf({})}\n${previous}\n${rest}`;
    previous = Buffer.from(hmac(key, text)).toString('hex');
    return previous;
  };
  const parts: Uint8Array[] = [];
  for (const chunk of [...chunks.filter((chunk) => chunk.length > 0), new Uint8Array()]) {
    const signature = sign('AWS4-HMAC-SHA256-PAYLOAD', `${EMPTY_SHA256}\n${sha256(chunk)}`);
    parts.push(Buffer.from(`${chunk.length.toString(16)};chunk-signature=${signature}\r\n`), chunk);
    if (chunk.length > 0) parts.push(Buffer.from('\r\n'));
  }
  if (trailers !== null) {
    const lines = Object.entries(trailers).map(([name, value]) => `${name}:${value}`);
    const text = lines.map((line) => `${line}\n`).join('');
    const sent = layout === 'aws' ? lines.map((line) => `${line}\r\n`).join('') : `${text}\r\n`;
    parts.push(
      Buffer.from(
        `${sent}x-amz-trailer-signature:${sign('AWS4-HMAC-SHA256-TRAILER', sha256(text))}\r\n`,
      ),
    );
  }
  parts.push(Buffer.from('\r\n'));
  return Buffer.concat(parts);
}

/** Frames chunks without signatures. */
export function frameUnsigned(
  chunks: readonly Uint8Array[],
  trailers: Readonly<Record<string, string>> = {},
): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const chunk of chunks.filter((chunk) => chunk.length > 0)) {
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  const lines = Object.entries(trailers).map(([name, value]) => `${name}:${value}\r\n`);
  return Buffer.concat([...parts, Buffer.from(`0\r\n${lines.join('')}\r\n`)]);
}
