// Bodies in aws-chunked framing, written by this suite's own encoder: signed chunk by chunk or not,
// with and without a trailer, in chunks of any size; and every way in which one can be wrong, none
// of which may leave an object.
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import {
  cut,
  SIGNED_CHUNKS,
  SIGNED_CHUNKS_TRAILER,
  signedChunks,
  UNSIGNED_CHUNKS_TRAILER,
  unsignedChunks,
} from '../../kit/clients/chunked.ts';
import { type Call, sampleBytes } from '../../kit/clients/client.ts';
import type { Seed } from '../../kit/clients/sign.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError } from '../../kit/clients/xml.ts';
import { completed, startUpload } from '../../kit/multipart-kit.ts';
import { ALGORITHMS, checksumHeader, checksumOf, md5Hex } from '../../kit/reference-checksums.ts';

const { send } = client;
const BODY = sampleBytes(200_003, 51);
const CHUNK_BYTES = 65_536;

const headersFor = (length: number, trailerName?: string): Record<string, string> => ({
  'content-encoding': 'aws-chunked',
  'x-amz-decoded-content-length': `${length}`,
  ...(trailerName === undefined ? {} : { 'x-amz-trailer': trailerName }),
});

/** A PUT in signed chunks; `spoil` changes the finished body. */
const signedPut = (
  bucket: string,
  key: string,
  chunks: readonly Uint8Array[],
  spoil: (body: Buffer) => Buffer = (body) => body,
): Call => ({
  method: 'PUT',
  bucket,
  key,
  payloadHash: SIGNED_CHUNKS,
  headers: headersFor(chunks.reduce((sum, chunk) => sum + chunk.length, 0)),
  makeBody: (seed) => spoil(signedChunks(seed, chunks)),
});

const flipped = (body: Buffer, at: number) => {
  const copy = Buffer.from(body);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

describeCore('signed chunks', () => {
  const bucket = useBucket(client);
  const expectStored = async (key: string, body: Uint8Array) => {
    const got = await send({ method: 'GET', bucket, key });
    expect(got.status).toBe(200);
    expect(got.body.equals(body)).toBe(true);
    expect(got.headers.etag).toBe(`"${md5Hex(body)}"`);
    expect(got.headers['content-encoding']).toBeUndefined();
  };
  const expectAbsent = async (key: string) =>
    expectError(await send({ method: 'GET', bucket, key }), 404, 'NoSuchKey');

  it.each([8192, 65_536, 65_537, 100_000, 1_000_000])(
    'of %i bytes are taken apart',
    async (size) => {
      const reply = await send(signedPut(bucket, `size-${size}`, cut(BODY, size)));
      expect(reply.status, reply.text).toBe(200);
      await expectStored(`size-${size}`, BODY);
    },
  );

  it('of no bytes at all make an empty object', async () => {
    expect((await send(signedPut(bucket, 'empty', []))).status).toBe(200);
    await expectStored('empty', Buffer.alloc(0));
  });

  it.each(ALGORITHMS)('with %s in the trailer are examined', async (algorithm) => {
    const name = checksumHeader(algorithm);
    const put = (key: string, value: string) =>
      send({
        method: 'PUT',
        bucket,
        key,
        payloadHash: SIGNED_CHUNKS_TRAILER,
        headers: headersFor(BODY.length, name),
        makeBody: (seed: Seed) => signedChunks(seed, cut(BODY, CHUNK_BYTES), { name, value }),
      });
    const right = await put(`trailer-${algorithm}`, checksumOf(algorithm, BODY));
    expect(right.status, right.text).toBe(200);
    expect(right.headers[name]).toBe(checksumOf(algorithm, BODY));
    await expectStored(`trailer-${algorithm}`, BODY);
    expectError(await put('wrong', checksumOf(algorithm, Buffer.from('else'))), 400, 'BadDigest');
    await expectAbsent('wrong');
  });

  it('are refused when a byte of any chunk changed', async () => {
    for (const at of [1000, 100_000, 190_000]) {
      const reply = await send(
        signedPut(bucket, 'changed', cut(BODY, CHUNK_BYTES), (body) => flipped(body, at)),
      );
      expectError(reply, 403, 'SignatureDoesNotMatch');
      await expectAbsent('changed');
    }
  });

  it('are refused when the signature of the closing chunk is missing or wrong', async () => {
    const unclosed = (body: Buffer) => {
      const text = body.toString('latin1');
      return Buffer.from(
        text.replace(/0;chunk-signature=[0-9a-f]+\r\n\r\n$/, '0\r\n\r\n'),
        'latin1',
      );
    };
    for (const spoil of [unclosed, (body: Buffer) => flipped(body, body.length - 6)]) {
      const reply = await send(signedPut(bucket, 'unclosed', cut(BODY, CHUNK_BYTES), spoil));
      expect([400, 403], reply.text).toContain(reply.status);
      await expectAbsent('unclosed');
    }
  });

  it('are refused in another order', async () => {
    const swap = (body: Buffer) => {
      const head = `${CHUNK_BYTES.toString(16)};chunk-signature=`.length + 64 + 2;
      const one = head + CHUNK_BYTES + 2;
      return Buffer.concat([
        body.subarray(one, 2 * one),
        body.subarray(0, one),
        body.subarray(2 * one),
      ]);
    };
    const reply = await send(signedPut(bucket, 'order', cut(BODY, CHUNK_BYTES), swap));
    expectError(reply, 403, 'SignatureDoesNotMatch');
    await expectAbsent('order');
  });

  it('are refused with a trailer signed by somebody else', async () => {
    const name = 'x-amz-checksum-crc32';
    const reply = await send({
      method: 'PUT',
      bucket,
      key: 'forged',
      payloadHash: SIGNED_CHUNKS_TRAILER,
      headers: headersFor(BODY.length, name),
      makeBody: (seed) => {
        const body = signedChunks(seed, cut(BODY, CHUNK_BYTES), {
          name,
          value: checksumOf('CRC32', BODY),
        });
        return flipped(body, body.length - 6);
      },
    });
    expectError(reply, 403, 'SignatureDoesNotMatch');
    await expectAbsent('forged');
  });

  it('make parts too', async () => {
    const uploadId = await startUpload(bucket, 'part');
    const query = { partNumber: '1', uploadId };
    const reply = await send({ ...signedPut(bucket, 'part', cut(BODY, CHUNK_BYTES)), query });
    expect(reply.status, reply.text).toBe(200);
    await completed(bucket, 'part', uploadId, [{ partNumber: 1, etag: reply.headers.etag ?? '' }]);
    expect((await send({ method: 'GET', bucket, key: 'part' })).body.equals(BODY)).toBe(true);
  });
});

describeCore('unsigned chunks with a trailer', () => {
  const bucket = useBucket(client);
  const put = (key: string, body: Buffer, headers: Record<string, string>) =>
    send({ method: 'PUT', bucket, key, payloadHash: UNSIGNED_CHUNKS_TRAILER, headers, body });
  const expectAbsent = async (key: string) =>
    expectError(await send({ method: 'GET', bucket, key }), 404, 'NoSuchKey');

  it.each(ALGORITHMS)('are examined by %s', async (algorithm) => {
    const name = checksumHeader(algorithm);
    const body = (value: string) => unsignedChunks(cut(BODY, 70_001), { name, value });
    const right = await put(
      `u-${algorithm}`,
      body(checksumOf(algorithm, BODY)),
      headersFor(BODY.length, name),
    );
    expect(right.status, right.text).toBe(200);
    expect((await send({ method: 'GET', bucket, key: `u-${algorithm}` })).body.equals(BODY)).toBe(
      true,
    );
    const wrong = await put(
      'u-wrong',
      body(checksumOf(algorithm, Buffer.from('else'))),
      headersFor(BODY.length, name),
    );
    expectError(wrong, 400, 'BadDigest');
    await expectAbsent('u-wrong');
  });

  const name = 'x-amz-checksum-crc32';
  const value = checksumOf('CRC32', BODY);
  const whole = unsignedChunks(cut(BODY, CHUNK_BYTES), { name, value });
  const plain = headersFor(BODY.length, name);

  it.each([
    ['aws-chunked', undefined],
    ['aws-chunked,gzip', 'gzip'],
    ['gzip, aws-chunked', 'gzip'],
    ['gzip,aws-chunked,br', 'gzip,br'],
    ['aws-chunked,aws-chunked', undefined],
  ])('keep of the content encoding %j only %j', async (given, kept) => {
    expect((await put('encoded', whole, { ...plain, 'content-encoding': given })).status).toBe(200);
    const got = await send({ method: 'GET', bucket, key: 'encoded' });
    expect(got.headers['content-encoding']?.replaceAll(' ', '')).toBe(kept);
    expect(got.body.equals(BODY)).toBe(true);
  });

  it('need no content encoding to be taken apart', async () => {
    const { 'content-encoding': _, ...headers } = plain;
    expect((await put('bare', whole, headers)).status).toBe(200);
    expect((await send({ method: 'GET', bucket, key: 'bare' })).body.equals(BODY)).toBe(true);
  });

  it('may come without a length of the framed body', async () => {
    const call = { method: 'PUT', bucket, key: 'streamed', payloadHash: UNSIGNED_CHUNKS_TRAILER };
    const reply = await send({ ...call, headers: plain, body: whole, announcedBytes: null });
    expect(reply.status, reply.text).toBe(200);
    expect((await send({ method: 'GET', bucket, key: 'streamed' })).body.equals(BODY)).toBe(true);
  });

  it.each([
    [
      'one byte more announced',
      whole,
      { ...plain, 'x-amz-decoded-content-length': `${BODY.length + 1}` },
    ],
    [
      'one byte less announced',
      whole,
      { ...plain, 'x-amz-decoded-content-length': `${BODY.length - 1}` },
    ],
    ['the end missing', whole.subarray(0, whole.length - 60), plain],
    ['half of it missing', whole.subarray(0, 100_000), plain],
    ['a size that is no number', Buffer.concat([Buffer.from('zz\r\n'), whole]), plain],
    ['a size without end', Buffer.from('1'.repeat(100_000)), plain],
    ['a negative size', Buffer.concat([Buffer.from('-5\r\n'), whole]), plain],
    ['no framing at all', BODY, plain],
    [
      'no line end after a chunk',
      Buffer.from(whole.toString('latin1').replace('\r\n10000\r\n', 'xx10000\r\n'), 'latin1'),
      plain,
    ],
    [
      'a trailer that nobody announced',
      unsignedChunks(cut(BODY, CHUNK_BYTES), { name: 'x-amz-checksum-sha1', value }),
      plain,
    ],
    ['no trailer where one was announced', unsignedChunks(cut(BODY, CHUNK_BYTES), null), plain],
    [
      'a trailer without end',
      Buffer.concat([whole.subarray(0, whole.length - 4), Buffer.alloc(100_000, 0x61)]),
      plain,
    ],
  ] as [string, Buffer, Record<string, string>][])(
    'are refused with %s',
    async (_, body, headers) => {
      const reply = await put('refused', body, headers);
      expect(reply.status, reply.text).toBe(400);
      await expectAbsent('refused');
    },
  );

  it('need the decoded length', async () => {
    const { 'x-amz-decoded-content-length': _, ...headers } = plain;
    expectError(await put('unsized', whole, headers), 411, 'MissingContentLength');
    const odd = { ...plain, 'x-amz-decoded-content-length': 'many' };
    expect([400, 411]).toContain((await put('unsized', whole, odd)).status);
    await expectAbsent('unsized');
  });
});
