// Ranges: every edge of a small object, of one that is stored in pieces, and of nothing; and reads
// by part number.
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { completed, PART_MIN_BYTES, putPart, startUpload } from '../kit/multipart-kit.ts';
import { multipartEtag } from '../kit/reference-checksums.ts';

const { s3, send } = client;

type Expected = readonly [first: number, last: number] | 'whole' | 'unsatisfiable';

/** What a Range header means for an object of `size` bytes. */
const cases = (size: number): [range: string, expected: Expected][] => [
  ['bytes=0-0', [0, 0]],
  ['bytes=0-', [0, size - 1]],
  ['bytes=1-', [1, size - 1]],
  [`bytes=0-${size - 1}`, [0, size - 1]],
  [`bytes=0-${size}`, [0, size - 1]],
  [`bytes=5-${size * 10}`, [5, size - 1]],
  [`bytes=${size - 1}-`, [size - 1, size - 1]],
  [`bytes=${size - 1}-${size - 1}`, [size - 1, size - 1]],
  ['bytes=-1', [size - 1, size - 1]],
  ['bytes=-5', [size - 5, size - 1]],
  [`bytes=-${size}`, [0, size - 1]],
  [`bytes=-${size + 10}`, [0, size - 1]],
  [`bytes=${size}-`, 'unsatisfiable'],
  [`bytes=${size + 100}-${size + 200}`, 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=0-0,2-3', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=-', 'whole'],
];

describeCore('ranges', () => {
  const bucket = useBucket(client);
  const parts = [
    sampleBytes(PART_MIN_BYTES, 31),
    sampleBytes(PART_MIN_BYTES + 13, 32),
    sampleBytes(20, 33),
  ];
  const wholeBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const bodies: Record<string, Buffer> = {
    tiny: sampleBytes(10, 34),
    inline: sampleBytes(4000, 35),
    blob: sampleBytes(300_001, 36),
    parts: Buffer.concat(parts),
  };

  beforeAll(async () => {
    for (const key of ['tiny', 'inline', 'blob'])
      await send({ method: 'PUT', bucket, key, body: bodies[key] ?? '' });
    await send({ method: 'PUT', bucket, key: 'empty' });
    const uploadId = await startUpload(bucket, 'parts');
    const names = await Promise.all(
      parts.map((body, index) => putPart(bucket, 'parts', uploadId, index + 1, body)),
    );
    await completed(bucket, 'parts', uploadId, names);
  });

  const expectRange = async (key: string, range: string, expected: Expected) => {
    const body = bodies[key] ?? Buffer.alloc(0);
    const reply = await send({ method: 'GET', bucket, key, headers: { range } });
    const head = await send({ method: 'HEAD', bucket, key, headers: { range } });
    if (expected === 'unsatisfiable') {
      const error = expectError(reply, 416, 'InvalidRange');
      expect(error.RangeRequested).toBe(range);
      expect(reply.headers['content-range'] ?? `bytes */${body.length}`).toBe(
        `bytes */${body.length}`,
      );
      expect([head.status, head.body.length]).toEqual([416, 0]);
      return;
    }
    const [first, last] = expected === 'whole' ? [0, body.length - 1] : expected;
    const status = expected === 'whole' ? 200 : 206;
    expect(reply.status).toBe(status);
    expect(reply.headers['content-length']).toBe(`${last - first + 1}`);
    expect(reply.headers['content-range']).toBe(
      expected === 'whole' ? undefined : `bytes ${first}-${last}/${body.length}`,
    );
    expect(reply.body.equals(body.subarray(first, last + 1))).toBe(true);
    expect([head.status, head.headers['content-range']]).toEqual([
      status,
      reply.headers['content-range'],
    ]);
  };

  for (const key of ['tiny', 'inline', 'blob']) {
    it.each(cases(bodies[key]?.length ?? 0))(
      `of ${key} give the bytes that they name: %s`,
      (range, expected) => expectRange(key, range, expected),
    );
  }
  const short = ([, expected]: [string, Expected]) =>
    Array.isArray(expected) && expected[1] - expected[0] < 100;
  it.each(cases(wholeBytes).filter(short))(
    'of parts give the bytes that they name: %s',
    (range, expected) => expectRange('parts', range, expected),
  );
  it('of parts give all of it', () => expectRange('parts', 'bytes=0-', [0, wholeBytes - 1]));

  const edge = PART_MIN_BYTES;
  const second = edge + (parts[1]?.length ?? 0);
  it.each([
    [edge - 1, edge - 1],
    [edge, edge],
    [edge - 1, edge],
    [edge - 3, second + 3],
    [second - 1, second],
    [second, second],
    [edge, second - 1],
  ])('go across the seams of parts: %i-%i', (first, last) =>
    expectRange('parts', `bytes=${first}-${last}`, [first, last]),
  );

  it('of nothing cannot be satisfied, but for a suffix', async () => {
    for (const range of ['bytes=0-0', 'bytes=0-', 'bytes=-0']) {
      expectError(
        await send({ method: 'GET', bucket, key: 'empty', headers: { range } }),
        416,
        'InvalidRange',
      );
    }
    // Satisfiable by RFC 9110 section 14.1.2, and S3 answers it so.
    const suffix = await send({
      method: 'GET',
      bucket,
      key: 'empty',
      headers: { range: 'bytes=-1' },
    });
    expect([suffix.status, suffix.headers['content-length']]).toEqual([200, '0']);
  });

  it('keep the ETag of the whole and no checksum of it', async () => {
    const got = await s3.send(
      new GetObjectCommand({ Bucket: bucket, Key: 'parts', Range: 'bytes=1-9' }),
    );
    expect(got.ETag).toBe(`"${multipartEtag(parts)}"`);
    expect(got.AcceptRanges).toBe('bytes');
  });

  it('by part number give that part and their count', async () => {
    for (const [index, offset] of [0, edge, second].entries()) {
      const query = { partNumber: `${index + 1}` };
      const reply = await send({ method: 'GET', bucket, key: 'parts', query });
      const body = parts[index] ?? Buffer.alloc(0);
      expect(reply.status, reply.status === 206 ? '' : reply.text).toBe(206);
      expect(reply.body.equals(body)).toBe(true);
      expect(reply.headers).toMatchObject({
        'x-amz-mp-parts-count': '3',
        'content-range': `bytes ${offset}-${offset + body.length - 1}/${bodies.parts?.length}`,
        etag: `"${multipartEtag(parts)}"`,
      });
    }
    const head = await s3.send(
      new HeadObjectCommand({ Bucket: bucket, Key: 'parts', PartNumber: 2 }),
    );
    expect([head.PartsCount, head.ContentLength]).toEqual([3, parts[1]?.length]);
  });

  it('by part number end at the last part', async () => {
    for (const [key, partNumber] of [
      ['parts', '4'],
      ['tiny', '2'],
    ] as const) {
      const reply = await send({ method: 'GET', bucket, key, query: { partNumber } });
      expect([400, 416]).toContain(reply.status);
      expect(reply.text).toMatch(/<Code>(InvalidPart|InvalidPartNumber|InvalidRange)<\/Code>/);
    }
    for (const partNumber of ['0', '10001', 'x']) {
      const reply = await send({ method: 'GET', bucket, key: 'parts', query: { partNumber } });
      expectError(reply, 400, 'InvalidArgument');
    }
  });

  it('by part number 1 are the whole of an object without parts', async () => {
    const reply = await send({ method: 'GET', bucket, key: 'tiny', query: { partNumber: '1' } });
    expect([reply.status, reply.headers['content-range']]).toEqual([206, 'bytes 0-9/10']);
    expect(reply.headers['x-amz-mp-parts-count']).toBeUndefined();
  });

  it('by bytes and by part number at once are too much', async () => {
    const call = {
      method: 'GET',
      bucket,
      key: 'parts',
      query: { partNumber: '1' },
      headers: { range: 'bytes=0-1' },
    };
    expectError(await send(call), 400, 'InvalidRequest');
  });
});
