// Multipart uploads: parts of any size that S3 allows, in any order, again and again; completions
// that must fail and leave the upload as it was; and what a reader sees meanwhile.
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { sampleBytes } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError } from '../../kit/clients/xml.ts';
import {
  complete,
  completed,
  completion,
  PART_MIN_BYTES,
  putPart,
  sendPart,
  startUpload,
} from '../../kit/multipart-kit.ts';
import { md5Base64, md5Hex, multipartEtag } from '../../kit/reference-checksums.ts';

const { s3, send } = client;
const BIG = sampleBytes(PART_MIN_BYTES, 11);

describeCore('a multipart upload', () => {
  const bucket = useBucket(client);
  const bytesAt = async (key: string) => (await send({ method: 'GET', bucket, key })).body;

  it('joins parts of odd sizes, whatever their numbers and their order of arrival', async () => {
    const key = 'odd/ü';
    const uploadId = await startUpload(bucket, key, {
      'content-type': 'text/x-parts',
      'x-amz-meta-a': 'b',
    });
    const bodies = [
      sampleBytes(PART_MIN_BYTES + 1, 1),
      sampleBytes(PART_MIN_BYTES + 70_001, 2),
      sampleBytes(1, 3),
    ];
    const last = await putPart(bucket, key, uploadId, 10_000, bodies[2] ?? '');
    const first = await putPart(bucket, key, uploadId, 3, bodies[0] ?? '');
    const second = await putPart(bucket, key, uploadId, 7, bodies[1] ?? '');
    expect(first.etag).toBe(`"${md5Hex(bodies[0] ?? new Uint8Array())}"`);
    expectError(await send({ method: 'GET', bucket, key }), 404, 'NoSuchKey');
    const result = await completed(bucket, key, uploadId, [first, second, last]);
    expect(result).toMatchObject({
      Bucket: bucket,
      Key: key,
      ETag: `"${multipartEtag(bodies)}"`,
    });
    expect(result.Location).toMatch(/^https?:\/\//);
    const got = await send({ method: 'GET', bucket, key });
    expect(got.body.equals(Buffer.concat(bodies))).toBe(true);
    expect(got.headers).toMatchObject({
      etag: `"${multipartEtag(bodies)}"`,
      'content-type': 'text/x-parts',
      'x-amz-meta-a': 'b',
    });
    expectError(
      await send({ method: 'GET', bucket, key, query: { uploadId } }),
      404,
      'NoSuchUpload',
    );
  });

  it('of one small part is an object too, also through the SDK', async () => {
    const Key = 'small';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
    const { ETag } = await s3.send(
      new UploadPartCommand({ Bucket: bucket, Key, UploadId, PartNumber: 1, Body: 'tiny' }),
    );
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    const done = await s3.send(
      new CompleteMultipartUploadCommand({ Bucket: bucket, Key, UploadId, MultipartUpload }),
    );
    expect(done.ETag).toBe(`"${multipartEtag([Buffer.from('tiny')])}"`);
    expect((await bytesAt(Key)).toString()).toBe('tiny');
  });

  it('of one empty part is an empty object', async () => {
    const uploadId = await startUpload(bucket, 'empty');
    await completed(bucket, 'empty', uploadId, [await putPart(bucket, 'empty', uploadId, 1, '')]);
    const head = await send({ method: 'HEAD', bucket, key: 'empty' });
    expect([head.status, head.headers['content-length']]).toEqual([200, '0']);
  });

  it('keeps the last of parts with one number', async () => {
    const uploadId = await startUpload(bucket, 'again');
    const old = await putPart(bucket, 'again', uploadId, 1, 'first try');
    const final = await putPart(bucket, 'again', uploadId, 1, 'second');
    expectError(await complete(bucket, 'again', uploadId, [old]), 400, 'InvalidPart');
    await completed(bucket, 'again', uploadId, [final]);
    expect((await bytesAt('again')).toString()).toBe('second');
  });

  it('leaves out parts that the completion does not name', async () => {
    const uploadId = await startUpload(bucket, 'some');
    await putPart(bucket, 'some', uploadId, 1, 'not this');
    const named = await putPart(bucket, 'some', uploadId, 2, 'but this');
    await putPart(bucket, 'some', uploadId, 3, 'nor that');
    await completed(bucket, 'some', uploadId, [named]);
    expect((await bytesAt('some')).toString()).toBe('but this');
  });

  it('answers a repeated completion as the first time', async () => {
    const uploadId = await startUpload(bucket, 'twice');
    const parts = [await putPart(bucket, 'twice', uploadId, 1, 'once is enough')];
    const first = await completed(bucket, 'twice', uploadId, parts);
    const second = await completed(bucket, 'twice', uploadId, parts);
    expect(second.ETag).toBe(first.ETag);
    expect((await bytesAt('twice')).toString()).toBe('once is enough');
  });

  it('accepts ETags with and without quotes', async () => {
    const uploadId = await startUpload(bucket, 'bare');
    const { etag } = await putPart(bucket, 'bare', uploadId, 1, 'x');
    await completed(bucket, 'bare', uploadId, [{ partNumber: 1, etag: etag.replaceAll('"', '') }]);
  });

  it('replaces the old object only when it completes', async () => {
    await send({ method: 'PUT', bucket, key: 'old', body: 'old body' });
    const uploadId = await startUpload(bucket, 'old');
    const parts = [await putPart(bucket, 'old', uploadId, 1, 'new body')];
    expect((await bytesAt('old')).toString()).toBe('old body');
    await completed(bucket, 'old', uploadId, parts);
    expect((await bytesAt('old')).toString()).toBe('new body');
  });

  it('shares its key with other uploads without mixing their parts', async () => {
    const [one, two] = [await startUpload(bucket, 'shared'), await startUpload(bucket, 'shared')];
    const partOne = await putPart(bucket, 'shared', one, 1, 'of one');
    const partTwo = await putPart(bucket, 'shared', two, 1, 'of two');
    expectError(await complete(bucket, 'shared', one, [partTwo]), 400, 'InvalidPart');
    await completed(bucket, 'shared', two, [partTwo]);
    await completed(bucket, 'shared', one, [partOne]);
    expect((await bytesAt('shared')).toString()).toBe('of one');
  });

  it('takes parts at once, two for each number, and keeps one of them', async () => {
    const uploadId = await startUpload(bucket, 'storm');
    const bodyOf = (index: number) => Buffer.concat([BIG, Buffer.from(`part ${index}`)]);
    const sent = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        putPart(bucket, 'storm', uploadId, (index % 3) + 1, bodyOf(index)),
      ),
    );
    // Which of two with the same number stayed is the server's to say.
    const list = await send({ method: 'GET', bucket, key: 'storm', query: { uploadId } });
    const kept = sent.filter(({ etag }) => list.text.includes(etag.replaceAll('"', '')));
    kept.sort((a, b) => Number(a.partNumber) - Number(b.partNumber));
    expect(kept.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3]);
    await completed(bucket, 'storm', uploadId, kept);
    expect((await bytesAt('storm')).length).toBe(3 * (BIG.length + 'part 0'.length));
  });
});

describeCore('a multipart upload that goes wrong', () => {
  const bucket = useBucket(client);

  it('refuses parts too small, misordered, missing or unknown; can still complete', async () => {
    const key = 'patient';
    const uploadId = await startUpload(bucket, key);
    const one = await putPart(bucket, key, uploadId, 1, BIG);
    const two = await putPart(bucket, key, uploadId, 2, 'small');
    const three = await putPart(bucket, key, uploadId, 3, 'last');
    const four = await putPart(bucket, key, uploadId, 4, BIG);
    const wrong = { partNumber: 1, etag: '"00000000000000000000000000000000"' };
    expectError(await complete(bucket, key, uploadId, [one, two, three]), 400, 'EntityTooSmall');
    expectError(await complete(bucket, key, uploadId, [four, one]), 400, 'InvalidPartOrder');
    expectError(await complete(bucket, key, uploadId, [wrong, three]), 400, 'InvalidPart');
    expectError(
      await complete(bucket, key, uploadId, [one, { ...two, partNumber: 9 }]),
      400,
      'InvalidPart',
    );
    expectError(await send({ method: 'GET', bucket, key }), 404, 'NoSuchKey');
    await completed(bucket, key, uploadId, [one, three]);
    expect((await send({ method: 'HEAD', bucket, key })).headers['content-length']).toBe(
      `${BIG.length + 4}`,
    );
  });

  it.each([
    ['an empty list', completion([])],
    ['no list', ''],
    ['no XML', '<CompleteMultipartUpload><Part>'],
    ['a part number that is none', completion([{ partNumber: 'one', etag: '"x"' }])],
    [
      'a part without ETag',
      '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>',
    ],
    ['another document', '<Delete><Object><Key>a</Key></Object></Delete>'],
  ])('takes %s for malformed', async (_, body) => {
    const uploadId = await startUpload(bucket, 'malformed');
    await putPart(bucket, 'malformed', uploadId, 1, 'x');
    const reply = await complete(bucket, 'malformed', uploadId, body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.text).toMatch(
      /<Code>(MalformedXML|InvalidRequest|MissingRequestBodyError)<\/Code>/,
    );
    expectError(await send({ method: 'GET', bucket, key: 'malformed' }), 404, 'NoSuchKey');
  });

  it('knows no upload by a made-up id, another key or after its end', async () => {
    const uploadId = await startUpload(bucket, 'ended');
    const part = await putPart(bucket, 'ended', uploadId, 1, 'x');
    const attempts = (key: string, id: string) => [
      sendPart(bucket, key, id, 1, { body: 'x' }),
      complete(bucket, key, id, [part]),
      send({ method: 'GET', bucket, key, query: { uploadId: id } }),
      send({ method: 'DELETE', bucket, key, query: { uploadId: id } }),
    ];
    for (const attempt of attempts('ended', 'no-such-upload'))
      expectError(await attempt, 404, 'NoSuchUpload');
    for (const attempt of attempts('another', uploadId))
      expectError(await attempt, 404, 'NoSuchUpload');
    const aborted = await send({ method: 'DELETE', bucket, key: 'ended', query: { uploadId } });
    expect([aborted.status, aborted.body.length]).toEqual([204, 0]);
    for (const attempt of attempts('ended', uploadId))
      expectError(await attempt, 404, 'NoSuchUpload');
    expectError(await send({ method: 'GET', bucket, key: 'ended' }), 404, 'NoSuchKey');
  });

  it.each(['0', '-1', '10001', 'one', '1.5'])('refuses the part number %j', async (partNumber) => {
    const uploadId = await startUpload(bucket, 'numbers');
    expectError(
      await sendPart(bucket, 'numbers', uploadId, partNumber, { body: 'x' }),
      400,
      'InvalidArgument',
    );
  });

  it('does not keep a part with a wrong digest, or without a length', async () => {
    const uploadId = await startUpload(bucket, 'digest');
    const send1 = (headers: Record<string, string>) =>
      sendPart(bucket, 'digest', uploadId, 1, { body: 'x', headers });
    expectError(await send1({ 'content-md5': md5Base64(Buffer.from('y')) }), 400, 'BadDigest');
    expectError(await send1({ 'x-amz-checksum-crc32': 'AAAAAA==' }), 400, 'BadDigest');
    const unsized = await sendPart(bucket, 'digest', uploadId, 1, {
      body: 'x',
      announcedBytes: null,
    });
    expectError(unsized, 411, 'MissingContentLength');
    const list = await send({ method: 'GET', bucket, key: 'digest', query: { uploadId } });
    expect(list.text).not.toContain('<Part>');
    expect((await send1({ 'content-md5': md5Base64(Buffer.from('x')) })).status).toBe(200);
  });

  it('believes the size that the completion names, or refuses', async () => {
    const uploadId = await startUpload(bucket, 'sized');
    const parts = [await putPart(bucket, 'sized', uploadId, 1, 'four')];
    const wrong = await complete(bucket, 'sized', uploadId, parts, { 'x-amz-mp-object-size': '5' });
    expectError(wrong, 400, 'InvalidRequest');
    await completed(bucket, 'sized', uploadId, parts, { 'x-amz-mp-object-size': '4' });
  });

  it('honours conditions when it completes', async () => {
    const uploadId = await startUpload(bucket, 'conditional');
    const parts = [await putPart(bucket, 'conditional', uploadId, 1, 'part')];
    const missing = await complete(bucket, 'conditional', uploadId, parts, { 'if-match': '"x"' });
    expectError(missing, 404, 'NoSuchKey');
    const put = await send({ method: 'PUT', bucket, key: 'conditional', body: 'there' });
    const taken = await complete(bucket, 'conditional', uploadId, parts, { 'if-none-match': '*' });
    expectError(taken, 412, 'PreconditionFailed');
    const changed = await complete(bucket, 'conditional', uploadId, parts, { 'if-match': '"x"' });
    expectError(changed, 412, 'PreconditionFailed');
    expect((await send({ method: 'GET', bucket, key: 'conditional' })).text).toBe('there');
    await completed(bucket, 'conditional', uploadId, parts, { 'if-match': put.headers.etag ?? '' });
    expect((await send({ method: 'GET', bucket, key: 'conditional' })).text).toBe('part');
  });
});
