// Bodies of signed requests: hashed, and in signed chunks.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../../src/domain/errors.ts';
import type { HttpRequest } from '../../../../src/http/request.ts';
import { createAuthenticator } from '../../../../src/http/s3/signature/authenticate.ts';
import type { Authenticated } from '../../../../src/http/s3/signature/authenticated.ts';
import { fuzzRuns } from '../../../fuzz-seed.ts';
import { account } from '../kit/authenticate-kit.ts';
import { makeRequest, split } from '../kit/make-request.ts';
import {
  ACCESS_KEY_ID,
  frameSigned,
  frameUnsigned,
  NOW_MS,
  SECRET,
  sha256,
  signatureOf,
  signHeaders,
} from '../kit/sign-for-test.ts';

const CRC32C = 'x-amz-checksum-crc32c';
const TRAILERS = { [CRC32C]: 'sOO8/Q==' };
const authenticate = createAuthenticator({
  findAccessKey: (id) => (id === ACCESS_KEY_ID ? { id, secret: SECRET, account } : null),
  nowMs: () => NOW_MS,
  region: 'auto',
  isSignatureV2On: true,
  ownHosts: [],
}).authenticate as (request: HttpRequest) => Authenticated;

function signed(payloadHash: string, headers: Record<string, string> = {}): Record<string, string> {
  return signHeaders({ method: 'PUT', path: '/b/k', headers, payloadHash });
}

function put(headers: Record<string, string>, body: readonly Uint8Array[]): Authenticated['body'] {
  return authenticate(makeRequest({ method: 'PUT', target: '/b/k', headers, body })).body;
}

async function read(body: Authenticated['body']): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await body.source.pump((chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** Reads as a store does that keeps no chunk, and is slow. */
async function readBorrowed(body: Authenticated['body']): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await body.source.pump(async (chunk) => {
    await Promise.resolve();
    chunks.push(new Uint8Array(chunk));
  }, true);
  return Buffer.concat(chunks);
}

/** Headers of a signed streaming request, and the signature that its chunks go on from. */
function streaming(length: number, hasTrailer: boolean) {
  const headers = signed(`STREAMING-AWS4-HMAC-SHA256-PAYLOAD${hasTrailer ? '-TRAILER' : ''}`, {
    'x-amz-decoded-content-length': `${length}`,
    ...(hasTrailer ? { 'x-amz-trailer': CRC32C } : {}),
  });
  return { headers, seed: signatureOf(headers) };
}

describe('a hashed body', () => {
  it('is handed on in its pieces', async () => {
    const body = put(signed(sha256('hello world')), [Buffer.from('hello '), Buffer.from('world')]);
    expect(body.source.lengthBytes).toBe(11);
    expect((await read(body)).toString()).toBe('hello world');
    expect(body.trailerNames).toEqual([]);
    expect(body.trailer(CRC32C)).toBeNull();
  });

  it('is whole where its pieces are only borrowed', async () => {
    const body = put(signed(sha256('hello world')), [Buffer.from('hello '), Buffer.from('world')]);
    expect((await readBorrowed(body)).toString()).toBe('hello world');
  });

  it('may have its hash in upper case', async () => {
    expect(
      (await read(put(signed(sha256('x').toUpperCase()), [Buffer.from('x')]))).toString(),
    ).toBe('x');
  });

  it('that is another ends in XAmzContentSHA256Mismatch', async () => {
    const pump = put(signed(sha256('hello')), [Buffer.from('hellO')]).source.pump(() => {});
    await expect(pump).rejects.toMatchObject({
      code: 'XAmzContentSHA256Mismatch',
      fields: {
        ClientComputedContentSHA256: sha256('hello'),
        S3ComputedContentSHA256: sha256('hellO'),
      },
    });
  });

  it('that is empty though it was hashed with content ends so too', async () => {
    const pump = put(signed(sha256('hello')), []).source.pump(() => {});
    await expect(pump).rejects.toMatchObject({ code: 'XAmzContentSHA256Mismatch' });
  });

  it('is not asked for unless somebody reads it', () => {
    let asked = 0;
    const request = makeRequest({
      target: '/b/k',
      headers: signHeaders({ path: '/b/k', headers: {} }),
    });
    const counting = {
      ...request,
      body: () => {
        asked += 1;
        return request.body();
      },
    };
    const { body } = authenticate(counting);
    expect(asked).toBe(0);
    expect(body.source.lengthBytes).toBe(0);
    expect(body.source.lengthBytes).toBe(0);
    expect(asked).toBe(1);
  });
});

describe('a body of signed chunks', () => {
  it('comes out as it was framed, however it was cut', async () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 600 });
    const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 5 });
    const layout = fc.constantFrom(null, 'aws' as const, 'minio-go' as const);
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunk, { maxLength: 6 }),
        cuts,
        layout,
        async (chunks, lengths, trailerLayout) => {
          const payload = Buffer.concat(chunks);
          const { headers, seed } = streaming(payload.length, trailerLayout !== null);
          const wire =
            trailerLayout === null
              ? frameSigned(chunks, seed)
              : frameSigned(chunks, seed, TRAILERS, trailerLayout);
          const body = put(headers, split(wire, lengths));
          expect(body.source.lengthBytes).toBe(payload.length);
          expect((await read(body)).equals(payload)).toBe(true);
          expect(body.trailer(CRC32C)).toBe(trailerLayout === null ? null : 'sOO8/Q==');
          const borrowed = await readBorrowed(put(headers, split(wire, lengths)));
          expect(borrowed.equals(payload)).toBe(true);
        },
      ),
      { numRuns: fuzzRuns(100) },
    );
  });

  it.each([false, true])(
    'is refused when any byte of it is another (trailer: %s)',
    async (hasTrailer) => {
      // Sizes without letters: a digit in the other case is the same size, and no corruption.
      const chunks = [Buffer.alloc(0x21, 'a'), Buffer.alloc(0x10, 'b')];
      const { headers, seed } = streaming(0x31, hasTrailer);
      const wire = frameSigned(chunks, seed, hasTrailer ? TRAILERS : null);
      expect((await read(put(headers, [wire]))).length).toBe(0x31);
      for (let index = 0; index < wire.length; index += 1) {
        for (const flip of [0x01, 0x20]) {
          const corrupted = Uint8Array.from(wire);
          corrupted[index] = (corrupted[index] ?? 0) ^ flip;
          const pump = put(headers, [corrupted]).source.pump(() => {});
          const error: unknown = await pump.then(
            () => `byte ${index} ^ ${flip} went through`,
            (reason) => reason,
          );
          expect(error).toBeInstanceOf(StorageError);
          expect(['SignatureDoesNotMatch', 'IncompleteBody', 'InvalidRequest']).toContain(
            (error as StorageError).code,
          );
        }
      }
    },
  );

  it.each([false, true])(
    'is refused when it is cut off anywhere (trailer: %s)',
    async (hasTrailer) => {
      const { headers, seed } = streaming(9, hasTrailer);
      const wire = frameSigned([Buffer.from('some text')], seed, hasTrailer ? TRAILERS : null);
      for (let length = 0; length < wire.length; length += 1) {
        const pump = put(headers, [wire.subarray(0, length)]).source.pump(() => {});
        await expect(pump).rejects.toMatchObject({ code: 'IncompleteBody' });
      }
    },
  );

  it('is refused when its chunks change places, or one is left out', async () => {
    const [a, b] = [Buffer.from('aaaa'), Buffer.from('bbbb')];
    const { headers, seed } = streaming(8, false);
    const wire = Buffer.from(frameSigned([a, b], seed));
    const frame = wire.indexOf('bbbb') - 4 - (wire.indexOf('aaaa') - 4);
    const swapped = Buffer.concat([
      wire.subarray(frame, 2 * frame),
      wire.subarray(0, frame),
      wire.subarray(2 * frame),
    ]);
    await expect(put(headers, [swapped]).source.pump(() => {})).rejects.toMatchObject({
      code: 'SignatureDoesNotMatch',
    });
    const repeated = Buffer.concat([
      wire.subarray(0, frame),
      wire.subarray(0, frame),
      wire.subarray(2 * frame),
    ]);
    await expect(put(headers, [repeated]).source.pump(() => {})).rejects.toMatchObject({
      code: 'SignatureDoesNotMatch',
    });
  });

  it('is refused with chunks signed for another request', async () => {
    const { headers } = streaming(5, false);
    const pump = put(headers, [frameSigned([Buffer.from('hello')], 'f'.repeat(64))]).source.pump(
      () => {},
    );
    await expect(pump).rejects.toMatchObject({
      code: 'SignatureDoesNotMatch',
      fields: { AWSAccessKeyId: ACCESS_KEY_ID },
    });
  });

  it('is refused without chunk signatures', async () => {
    const { headers } = streaming(5, false);
    const pump = put(headers, [frameUnsigned([Buffer.from('hello')])]).source.pump(() => {});
    await expect(pump).rejects.toMatchObject({ code: 'IncompleteBody' });
  });

  it('is refused without the signature of its trailers', async () => {
    const { headers, seed } = streaming(5, true);
    const wire = Buffer.from(frameSigned([Buffer.from('hello')], seed, TRAILERS)).toString(
      'latin1',
    );
    for (const cut of [/x-amz-trailer-signature:.*\r\n/, /x-amz-checksum-crc32c:.*\r\n/]) {
      const pump = put(headers, [Buffer.from(wire.replace(cut, ''), 'latin1')]).source.pump(
        () => {},
      );
      await expect(pump).rejects.toBeInstanceOf(StorageError);
    }
  });

  it('is refused with more empty lines than minio-go sends', async () => {
    const { headers, seed } = streaming(5, true);
    const wire = Buffer.from(
      frameSigned([Buffer.from('hello')], seed, TRAILERS, 'minio-go'),
    ).toString('latin1');
    const body = put(headers, [Buffer.from(wire.replace('\n\r\n', '\n\r\n\r\n'), 'latin1')]);
    await expect(body.source.pump(() => {})).rejects.toMatchObject({ code: 'InvalidRequest' });
  });

  it('may be nothing on the wire when it is empty and says so', async () => {
    const { headers } = streaming(0, false);
    expect((await read(put(headers, []))).length).toBe(0);
  });

  it.each([null, '', '-1', '1.5', 'x', '9'.repeat(16)])(
    'needs a length: x-amz-decoded-content-length %j is MissingContentLength',
    (length) => {
      const extra: Record<string, string> =
        length === null ? {} : { 'x-amz-decoded-content-length': length };
      const headers = signed('STREAMING-AWS4-HMAC-SHA256-PAYLOAD', extra);
      expect(() => put(headers, [])).toThrow(
        expect.objectContaining({ code: 'MissingContentLength' }),
      );
    },
  );

  it.each([
    ['', 'InvalidRequest'],
    ['content-type', 'InvalidRequest'],
    [`${CRC32C},${CRC32C}`, 'InvalidRequest'],
    ['a,b,c,d,e'.replace(/[a-e]/g, 'x-amz-checksum-$&'), 'InvalidRequest'],
    ['x-amz-checksum-', 'InvalidRequest'],
  ])('with x-amz-trailer %j is %s', (trailer, code) => {
    const headers = signed('STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', {
      'x-amz-decoded-content-length': '0',
      'x-amz-trailer': trailer,
    });
    expect(() => put(headers, [])).toThrow(expect.objectContaining({ code }));
  });

  it('may have four trailers, in any case and with spaces', () => {
    const headers = signed('STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', {
      'x-amz-decoded-content-length': '9'.repeat(15),
      'x-amz-trailer': 'a, b ,C,d'.replace(/[a-zC]/g, 'X-Amz-Checksum-$&'),
    });
    const body = put(headers, []);
    expect(body.trailerNames).toEqual(['a', 'b', 'c', 'd'].map((name) => `x-amz-checksum-${name}`));
    expect(body.source.lengthBytes).toBe(999_999_999_999_999);
  });

  it('must not announce a trailer that its framing has no place for', () => {
    const headers = signed('STREAMING-AWS4-HMAC-SHA256-PAYLOAD', {
      'x-amz-decoded-content-length': '0',
      'x-amz-trailer': CRC32C,
    });
    expect(() => put(headers, [])).toThrow(expect.objectContaining({ code: 'InvalidRequest' }));
  });

  it('has no trailer to give before it is over', async () => {
    const { headers, seed } = streaming(5, true);
    const body = put(headers, [frameSigned([Buffer.from('hello')], seed, TRAILERS)]);
    expect(() => body.trailer(CRC32C)).toThrow(expect.objectContaining({ code: 'InternalError' }));
    expect(body.trailer('x-amz-checksum-sha1')).toBeNull();
    await read(body);
    expect(body.trailer(CRC32C)).toBe('sOO8/Q==');
  });
});

describe('the pump', () => {
  it('hands each piece on only after the one before was taken', async () => {
    const { headers, seed } = streaming(6, false);
    const body = put(headers, [
      frameSigned([Buffer.from('ab'), Buffer.from('cd'), Buffer.from('ef')], seed),
    ]);
    const log: string[] = [];
    await body.source.pump(async (chunk) => {
      log.push(`> ${Buffer.from(chunk).toString()}`);
      await Promise.resolve();
      log.push('<');
    });
    expect(log).toEqual(['> ab', '<', '> cd', '<', '> ef', '<']);
  });

  it.each(['hashed', 'chunked'])(
    'of a %s body fails as its receiver or its wire does',
    async (kind) => {
      const { headers, seed } = streaming(4, false);
      const wire =
        kind === 'chunked'
          ? frameSigned([Buffer.from('ab'), Buffer.from('cd')], seed)
          : Buffer.from('abcd');
      const all = kind === 'chunked' ? headers : signed(sha256('abcd'));
      const full = new StorageError('StorageFull');
      await expect(put(all, [wire]).source.pump(() => Promise.reject(full))).rejects.toBe(full);
      await expect(
        put(all, [wire]).source.pump(() => {
          throw full;
        }),
      ).rejects.toBe(full);
      const gone = new StorageError('IncompleteBody');
      const request = makeRequest({ method: 'PUT', target: '/b/k', headers: all });
      const broken = {
        ...request,
        body: () => ({ lengthBytes: null, pump: () => Promise.reject(gone) }),
      };
      await expect(authenticate(broken).body.source.pump(() => {})).rejects.toBe(gone);
    },
  );
});
