import { describe, expect, it } from 'vitest';
import { readWorkerRequest } from '../../src/adapters/cloudflare/requests/worker-request.ts';
import { joinBytes } from '../../src/crypto/join-bytes.ts';
import { StorageError } from '../../src/domain/errors.ts';
import { isSameBytes, patternBytes } from '../contract/bodies.ts';

const URL_TEXT = 'https://files.example:8443/b/a%2Fb//c+d%20%E2%82%AC?x=%2B&&y=../';

/** A PUT whose body the runtime streams, as from a client. */
function upload(
  body: Uint8Array,
  headers: Record<string, string> = { 'content-length': `${body.length}` },
) {
  return new Request(URL_TEXT, { method: 'PUT', body: body as BodyInit, headers });
}

async function pumped(request: Request) {
  const chunks: Uint8Array[] = [];
  await readWorkerRequest(request)
    .body()
    .pump((chunk) => void chunks.push(chunk));
  const lengthBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return { whole: joinBytes(chunks, lengthBytes), chunks };
}

describe('request of the Workers runtime', () => {
  it('gives path and query as they came', () => {
    const request = readWorkerRequest(
      new Request(URL_TEXT, { headers: { host: 'files.example:8443' } }),
    );
    expect(request).toMatchObject({
      method: 'GET',
      rawPath: '/b/a%2Fb//c+d%20%E2%82%AC',
      rawQuery: 'x=%2B&&y=../',
      host: 'files.example:8443',
      isSecure: true,
      remoteAddress: null,
    });
    const bare = readWorkerRequest(
      new Request('http://h/', { headers: { 'cf-connecting-ip': '::1' } }),
    );
    expect(bare).toMatchObject({
      rawPath: '/',
      rawQuery: '',
      host: 'h',
      isSecure: false,
      remoteAddress: '::1',
    });
  });

  it('gives the TLS between client and Cloudflare, where there is any', () => {
    const read = (url: string, cf: Record<string, string>) =>
      readWorkerRequest(new Request(url, { cf })).tls?.();
    const cf = { tlsVersion: 'TLSv1.3', tlsCipher: 'AEAD-AES128-GCM-SHA256' };
    expect(read('https://h/', cf)).toEqual({ version: '1.3', cipher: 'AEAD-AES128-GCM-SHA256' });
    expect(read('https://h/', { tlsVersion: 'TLSv1' })).toEqual({ version: '1', cipher: null });
    // wrangler dev has these of a connection of its own.
    expect(read('http://h/', cf)).toBeNull();
    expect(read('https://h/', { tlsVersion: '' })).toBeNull();
    expect(read('https://h/', {})).toBeNull();
  });

  it('gives headers by lower-case name, a character per byte', () => {
    const headers = new Headers({ 'X-Amz-Meta-Who': 'Jürgen €', 'x-plain': 'a' });
    headers.append('x-plain', 'b');
    const request = readWorkerRequest(new Request('http://h/', { headers }));
    expect(request.header('x-amz-meta-who')).toBe('J\u00c3\u00bcrgen \u00e2\u0082\u00ac');
    expect(request.header('x-plain')).toBe('a, b');
    expect(request.header('x-none')).toBeNull();
    expect([...request.headerNames()]).toEqual(['x-amz-meta-who', 'x-plain']);
  });

  it(
    'gives the accept-encoding that the client sent ' +
      'and signed, not the one that Cloudflare made of it',
    () => {
      const read = (clientAcceptEncoding: string | undefined) => {
        const cf = clientAcceptEncoding === undefined ? {} : { clientAcceptEncoding };
        const headers = { 'accept-encoding': 'br, gzip' };
        return readWorkerRequest(new Request('http://h/', { headers, cf })).header(
          'accept-encoding',
        );
      };
      expect(read('identity')).toBe('identity');
      expect(read('')).toBeNull();
      expect(read(undefined)).toBe('br, gzip');
    },
  );

  it('pumps a body in large chunks that may be kept', async () => {
    const bytes = patternBytes(200_000);
    const { whole, chunks } = await pumped(upload(bytes));
    expect(isSameBytes(whole, bytes)).toBe(true);
    expect(chunks.map((chunk) => chunk.length)).toEqual([65_536, 65_536, 65_536, 3392]);
  });

  it('knows the length of a body, that it is unknown, and that there is none', async () => {
    const lengthOf = (request: Request) => readWorkerRequest(request).body().lengthBytes;
    expect(lengthOf(upload(patternBytes(7)))).toBe(7);
    expect(lengthOf(upload(patternBytes(7), {}))).toBeNull();
    expect(lengthOf(new Request('http://h/'))).toBe(0);
    expect(
      lengthOf(new Request('http://h/', { method: 'PUT', headers: { 'content-length': '0' } })),
    ).toBe(0);
    expect((await pumped(new Request('http://h/'))).chunks).toEqual([]);
    expect((await pumped(upload(patternBytes(100_000), {}))).whole.length).toBe(100_000);
  });

  it('refuses a body that ends before its announced length', async () => {
    const short = pumped(upload(patternBytes(10), { 'content-length': '11' }));
    await expect(short).rejects.toMatchObject({ code: 'IncompleteBody' });
  });

  it('refuses a body whose client goes away', async () => {
    const { readable, writable } = new FixedLengthStream(100_000);
    const writer = writable.getWriter();
    const request = new Request('http://h/', {
      method: 'PUT',
      body: readable,
      headers: { 'content-length': '100000' },
    });
    const seen: number[] = [];
    const pumping = readWorkerRequest(request)
      .body()
      .pump((chunk) => void seen.push(chunk.length));
    const failed = expect(pumping).rejects.toMatchObject({ code: 'IncompleteBody' });
    await writer.write(patternBytes(65_536));
    await writer.abort(new Error('expected by the test'));
    await failed;
    expect(seen).toEqual([65_536]);
  });

  it('reads on what nobody wants any more, so that the client can hear why', async () => {
    const { readable, writable } = new FixedLengthStream(1_000_000);
    const writer = writable.getWriter();
    const request = new Request('http://h/', {
      method: 'PUT',
      body: readable,
      headers: { 'content-length': '1000000' },
    });
    let chunks = 0;
    const pumping = readWorkerRequest(request)
      .body()
      .pump(() => {
        chunks += 1;
        throw new StorageError('BadDigest');
      });
    const failed = expect(pumping).rejects.toMatchObject({ code: 'BadDigest' });
    for (let part = 0; part < 10; part++) await writer.write(patternBytes(100_000));
    await writer.close();
    await failed;
    expect(chunks).toBe(1);
  });
});
