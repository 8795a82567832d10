// Signs requests with an access key: AWS Signature Version 4 in the Authorization
// header, by WebCrypto. The body is not hashed here: its checksum is a signed
// header of its own. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
import type { AccessKeyPair } from '../credential.ts';

export type Unsigned = {
  readonly method: string;
  readonly host: string;
  /** Encoded. */
  readonly path: string;
  /** Not encoded. */
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; all are signed. */
  readonly headers: Readonly<Record<string, string>>;
};

export type Signer = (request: Unsigned, nowMs: number) => Promise<Record<string, string>>;

const PAYLOAD = 'x-amz-content-sha256';
const encoder = new TextEncoder();

/** Encodes as signatures want it: everything but A-Z a-z 0-9 - . _ ~. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A query in the order in which it is signed. */
export const encodeQuery = (query: Unsigned['query']): string =>
  Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');

const hex = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => (byte + 256).toString(16).slice(1)).join('');

const sha256Hex = async (text: string) =>
  hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)));

async function hmac(
  secret: ArrayBuffer | Uint8Array<ArrayBuffer>,
  text: string,
): Promise<ArrayBuffer> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  return crypto.subtle.sign('HMAC', key, encoder.encode(text));
}

/**
 * Makes a function that gives the headers of a signed request. It keeps the day's
 * key.
 */
export function createSigner({ id, secret }: AccessKeyPair, region: string): Signer {
  let day = '';
  let dayKey: Promise<ArrayBuffer> | null = null;

  async function derive(date: string): Promise<ArrayBuffer> {
    let key = await hmac(encoder.encode(`AWS4${secret}`) as Uint8Array<ArrayBuffer>, date);
    for (const text of [region, 's3', 'aws4_request']) key = await hmac(key, text);
    return key;
  }

  return async (request, nowMs) => {
    const amzDate = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const date = amzDate.slice(0, 8);
    if (date !== day || dayKey === null) dayKey = derive(date);
    day = date;
    const { method, path, query, host } = request;
    const headers: Record<string, string> = {
      [PAYLOAD]: 'UNSIGNED-PAYLOAD',
      ...request.headers,
      'x-amz-date': amzDate,
    };
    const signed: [string, string][] = Object.entries({ ...headers, host }).sort();
    const names = signed.map(([name]) => name).join(';');
    const lines = signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`);
    const canonical = [method, path, encodeQuery(query), lines.join(''), names, headers[PAYLOAD]];
    const scope = `${date}/${region}/s3/aws4_request`;
    const hash = await sha256Hex(canonical.join('\n'));
    const text = `AWS4-HMAC-SHA256\n${amzDate}\n${scope}\n${hash}`;
    const signature = hex(await hmac(await dayKey, text));
    const claims = `Credential=${id}/${scope}, SignedHeaders=${names}`;
    headers.authorization = `AWS4-HMAC-SHA256 ${claims}, Signature=${signature}`;
    return headers;
  };
}
