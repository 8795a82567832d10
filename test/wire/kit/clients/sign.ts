// AWS Signature Version 4 once more, written for this suite alone and from the specification, so
// that the server is never judged by its own code. It signs what the test says, right or wrong.
// Clients and chunked.ts use it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
import { createHash, createHmac } from 'node:crypto';

export type Signer = {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
};

export type Pairs = readonly (readonly [name: string, value: string])[];

export type SignedPart = {
  readonly method: string;
  /** Encoded path as it goes into the canonical request. */
  readonly path: string;
  /** Decoded names and values of the query. */
  readonly query: Pairs;
  /** Headers to sign, `host` among them; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
};

export type SignOptions = {
  /** When the request was signed; now. */
  date?: Date;
  service?: string;
  /** Scope date, `yyyymmdd`, where it shall differ from the date. */
  scopeDate?: string;
  /** Sign `Date` and send no `X-Amz-Date`. */
  useDateHeader?: boolean;
};

/** What a chunked body needs to go on signing where the headers ended. */
export type Seed = {
  readonly signature: string;
  readonly signingKey: Buffer;
  readonly amzDate: string;
  readonly scope: string;
};

export const UNSIGNED = 'UNSIGNED-PAYLOAD';

export const sha256Hex = (data: string | Uint8Array) =>
  createHash('sha256').update(data).digest('hex');
export const hmac = (key: string | Buffer, data: string) =>
  createHmac('sha256', key).update(data).digest();

/** RFC 3986: everything but letters, digits and `-._~` becomes `%XX` of its UTF-8 bytes. */
export function encodeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A key as S3 clients put it into a path: encoded once, with its slashes as they are. */
export const encodeKey = (key: string) => key.split('/').map(encodeText).join('/');

/** A query string of encoded pairs, in the order given. */
export const encodeQuery = (query: Pairs) =>
  query.map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&');

/** `yyyymmddThhmmssZ`. */
export const amzDate = (date: Date) => `${date.toISOString().replace(/[-:]|\.\d+/g, '')}`;

function signingKeyOf(signer: Signer, scopeDate: string, service: string): Buffer {
  const dateKey = hmac(`AWS4${signer.secretKey}`, scopeDate);
  return hmac(hmac(hmac(dateKey, signer.region), service), 'aws4_request');
}

function seedOf(part: SignedPart, payloadHash: string, signer: Signer, options: SignOptions): Seed {
  const time = amzDate(options.date ?? new Date());
  const scopeDate = options.scopeDate ?? time.slice(0, 8);
  const service = options.service ?? 's3';
  const names = Object.keys(part.headers).sort();
  const sorted = part.query.map(([name, value]) => [encodeText(name), encodeText(value)] as const);
  sorted.sort((a, b) => (a[0] === b[0] ? (a[1] < b[1] ? -1 : 1) : a[0] < b[0] ? -1 : 1));
  const canonical = [
    part.method,
    part.path,
    sorted.map(([name, value]) => `${name}=${value}`).join('&'),
    ...names.map((name) => `${name}:${(part.headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n');
  const scope = `${scopeDate}/${signer.region}/${service}/aws4_request`;
  const signingKey = signingKeyOf(signer, scopeDate, service);
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n');
  return { signature: hmac(signingKey, toSign).toString('hex'), signingKey, amzDate: time, scope };
}

/**
 * The headers to send: those given, the date, the payload hash and the signature over all of them.
 */
export function signHeaders(
  part: SignedPart,
  payloadHash: string,
  signer: Signer,
  options: SignOptions = {},
): { headers: Record<string, string>; seed: Seed } {
  const date = options.date ?? new Date();
  const headers: Record<string, string> = {
    ...part.headers,
    ...(options.useDateHeader ? { date: date.toUTCString() } : { 'x-amz-date': amzDate(date) }),
    'x-amz-content-sha256': payloadHash,
  };
  const seed = seedOf({ ...part, headers }, payloadHash, signer, { ...options, date });
  headers.authorization = [
    `AWS4-HMAC-SHA256 Credential=${signer.accessKey}/${seed.scope}`,
    `SignedHeaders=${Object.keys(part.headers)
      .concat(options.useDateHeader ? 'date' : 'x-amz-date', 'x-amz-content-sha256')
      .sort()
      .join(';')}`,
    `Signature=${seed.signature}`,
  ].join(', ');
  return { headers, seed };
}

/** The pairs of a presigned query; `expires` goes in as it is, right or wrong. */
export function presignQuery(
  part: SignedPart,
  expires: string,
  signer: Signer,
  options: SignOptions = {},
): Pairs {
  const date = options.date ?? new Date();
  const time = amzDate(date);
  const scope =
    `${options.scopeDate ?? time.slice(0, 8)}/${signer.region}/` +
    `${options.service ?? 's3'}/` +
    'aws4_request';
  const query: Pairs = [
    ...part.query,
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${signer.accessKey}/${scope}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', expires],
    ['X-Amz-SignedHeaders', Object.keys(part.headers).sort().join(';')],
  ];
  const { signature } = seedOf({ ...part, query }, UNSIGNED, signer, { ...options, date });
  return [...query, ['X-Amz-Signature', signature]];
}

/**
 * The pairs of a URL that is signed by Signature Version 2. `text`: what is signed before and after
 * the time when it ends.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html
 */
export function signUrlV2(
  [before, after]: readonly [string, string],
  signer: Signer,
  expires: string,
): Pairs {
  const signature = createHmac('sha1', signer.secretKey)
    .update(`${before}${expires}\n${after}`)
    .digest('base64');
  return [
    ['AWSAccessKeyId', signer.accessKey],
    ['Signature', signature],
    ['Expires', expires],
  ];
}
