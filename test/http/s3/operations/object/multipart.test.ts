import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { PART_MIN_BYTES } from '../../../../../src/core/limits.ts';
import { checksumOf, multipartEtag } from '../../../../../src/crypto/digest-set.ts';
import { drainedRows } from '../../kit/drained-rows.ts';
import { all, codeOf, one } from '../../kit/responses.ts';
import { createTestSurface, type Sent } from '../../kit/surface.ts';

const surface = createTestSurface();
const { send } = surface;
const BIG = new Uint8Array(PART_MIN_BYTES).fill(65);
const md5Hex = (bytes: string | Uint8Array) => createHash('md5').update(bytes).digest('hex');

beforeAll(async () => {
  await send({ method: 'PUT', path: '/multi' });
  await send({ method: 'PUT', path: '/multi/source', body: '0123456789' });
});

async function start(key: string, headers: Record<string, string> = {}): Promise<string> {
  const reply = await send({
    method: 'POST',
    path: `/multi/${key}`,
    query: { uploads: '' },
    headers,
  });
  expect(reply.status, reply.text).toBe(200);
  return one(reply.text, 'UploadId') ?? '';
}
const part = (
  key: string,
  uploadId: string,
  partNumber: number | string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
) =>
  send({
    method: 'PUT',
    path: `/multi/${key}`,
    query: { uploadId, partNumber: `${partNumber}` },
    body,
    headers,
  });
const copyPart = (key: string, uploadId: string, headers: Record<string, string>) =>
  send({
    method: 'PUT',
    path: `/multi/${key}`,
    query: { uploadId, partNumber: '1' },
    headers: { 'x-amz-copy-source': '/multi/source', ...headers },
  });
const partXml = (partNumber: number, etag: string, more = '') =>
  `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag>${more}</Part>`;
const complete = (key: string, uploadId: string, parts: string, more: Partial<Sent> = {}) =>
  send({
    method: 'POST',
    path: `/multi/${key}`,
    query: { uploadId },
    body: `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`,
    ...more,
  });

describe('an upload', () => {
  it('goes from start to end, and its parts can be read', async () => {
    const id = await start('whole', { 'content-type': 'text/x-m', 'x-amz-meta-a': 'b' });
    const first = await part('whole', id, 2, BIG);
    expect([first.status, first.headers.etag, first.text]).toEqual([200, `"${md5Hex(BIG)}"`, '']);
    await part('whole', id, 7, 'tail');
    const done = await complete(
      'whole',
      id,
      partXml(2, md5Hex(BIG)) + partXml(7, `"${md5Hex('tail')}"`),
    );
    const etag = multipartEtag([md5Hex(BIG), md5Hex('tail')]);
    expect(done.status, done.text).toBe(200);
    expect(one(done.text, 'ETag')).toBe(`&quot;${etag}&quot;`);

    const head = await send({ method: 'HEAD', path: '/multi/whole' });
    expect(head.headers).toMatchObject({
      etag: `"${etag}"`,
      'content-type': 'text/x-m',
      'x-amz-meta-a': 'b',
      'content-length': `${BIG.length + 4}`,
    });
    const tail = await send({ path: '/multi/whole', query: { partNumber: '7' } });
    expect([tail.status, tail.text]).toEqual([206, 'tail']);
    expect(tail.headers).toMatchObject({
      'content-range': `bytes ${BIG.length}-${BIG.length + 3}/${BIG.length + 4}`,
      'x-amz-mp-parts-count': '2',
      etag: `"${etag}"`,
    });
    expect(codeOf(await send({ path: '/multi/whole', query: { partNumber: '1' } }))).toEqual([
      400,
      'InvalidPart',
    ]);
  });

  it('answers the same when it is completed again', async () => {
    const id = await start('again');
    await part('again', id, 1, 'x');
    const first = await complete('again', id, partXml(1, md5Hex('x')));
    const second = await complete('again', id, partXml(1, md5Hex('x')));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(one(second.text, 'ETag')).toBe(one(first.text, 'ETag'));
  });

  it('carries checksums from the parts to the object', async () => {
    const id = await start('sums', {
      'x-amz-checksum-algorithm': 'CRC32',
      'x-amz-checksum-type': 'FULL_OBJECT',
    });
    const value = checksumOf('CRC32', new TextEncoder().encode('abc'));
    const sent = await part('sums', id, 1, 'abc', { 'x-amz-checksum-crc32': value });
    expect(sent.headers['x-amz-checksum-crc32']).toBe(value);
    expect(
      codeOf(await part('sums', id, 2, 'abc', { 'x-amz-checksum-crc32': 'AAAAAA==' })),
    ).toEqual([400, 'BadDigest']);
    const parts = partXml(1, md5Hex('abc'), `<ChecksumCRC32>${value}</ChecksumCRC32>`);
    const wrong = { headers: { 'x-amz-checksum-crc32': 'bad' } };
    expect(codeOf(await complete('sums', id, parts, wrong))).toEqual([400, 'BadDigest']);
    const otherType = { headers: { 'x-amz-checksum-type': 'COMPOSITE' } };
    expect(codeOf(await complete('sums', id, parts, otherType))).toEqual([400, 'InvalidRequest']);
    const right = {
      headers: { 'x-amz-checksum-crc32': value, 'x-amz-checksum-type': 'FULL_OBJECT' },
    };
    const done = await complete('sums', id, parts, right);
    expect([one(done.text, 'ChecksumCRC32'), one(done.text, 'ChecksumType')]).toEqual([
      value,
      'FULL_OBJECT',
    ]);
    const head = await send({
      path: '/multi/sums',
      query: { partNumber: '1' },
      headers: { 'x-amz-checksum-mode': 'ENABLED' },
    });
    expect(head.headers).toMatchObject({
      'x-amz-checksum-crc32': value,
      'x-amz-checksum-type': 'FULL_OBJECT',
    });
    // Over and done: the type can no longer be compared, the repeated answer counts.
    expect((await complete('sums', id, parts, right)).status).toBe(200);
  });

  it('takes a composite checksum with the number of parts behind it and without', async () => {
    const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
    const value = sha('abc').toString('base64');
    const composite = sha(sha('abc')).toString('base64');
    const parts = partXml(1, md5Hex('abc'), `<ChecksumSHA256>${value}</ChecksumSHA256>`);
    const finish = (id: string, sent: string) =>
      complete('composed', id, parts, { headers: { 'x-amz-checksum-sha256': sent } });
    for (const sent of [composite, `${composite}-1`]) {
      const id = await start('composed', { 'x-amz-checksum-algorithm': 'SHA256' });
      await part('composed', id, 1, 'abc', { 'x-amz-checksum-sha256': value });
      for (const wrong of [value, `${composite}-2`, `${composite}-`, composite.slice(0, -1)]) {
        expect(codeOf(await finish(id, wrong)), wrong).toEqual([400, 'BadDigest']);
      }
      const done = await finish(id, sent);
      expect(one(done.text, 'ChecksumSHA256'), done.text).toBe(`${composite}-1`);
    }
  });

  it('tells its algorithm at the start, and refuses what does not go together', async () => {
    const begin = (headers: Record<string, string>) =>
      send({ method: 'POST', path: '/multi/begun', query: { uploads: '' }, headers });
    const sha = await begin({ 'x-amz-checksum-algorithm': 'SHA256' });
    expect(sha.headers).toMatchObject({
      'x-amz-checksum-algorithm': 'SHA256',
      'x-amz-checksum-type': 'COMPOSITE',
    });
    expect((await begin({})).headers).not.toHaveProperty('x-amz-checksum-type');
    const full = { 'x-amz-checksum-algorithm': 'SHA256', 'x-amz-checksum-type': 'FULL_OBJECT' };
    expect(codeOf(await begin(full))).toEqual([400, 'InvalidRequest']);
    expect(codeOf(await begin({ 'x-amz-checksum-type': 'COMPOSITE' }))).toEqual([
      400,
      'InvalidRequest',
    ]);
    expect(codeOf(await begin({ 'x-amz-checksum-algorithm': 'CRC16' }))).toEqual([
      400,
      'InvalidRequest',
    ]);
  });

  it('can be given up', async () => {
    const id = await start('aborted');
    await part('aborted', id, 1, 'x');
    const abort = () => send({ method: 'DELETE', path: '/multi/aborted', query: { uploadId: id } });
    expect((await abort()).status).toBe(204);
    expect(codeOf(await abort())).toEqual([404, 'NoSuchUpload']);
    expect(codeOf(await part('aborted', id, 1, 'x'))).toEqual([404, 'NoSuchUpload']);
    expect((await send({ path: '/multi/aborted' })).status).toBe(404);
  });
});

describe('completing', () => {
  it('checks list, order, tags, sizes and conditions', async () => {
    const id = await start('strict');
    await part('strict', id, 1, 'small');
    await part('strict', id, 2, 'tail');
    const [small, tail] = [partXml(1, md5Hex('small')), partXml(2, md5Hex('tail'))];
    expect(codeOf(await complete('strict', id, ''))).toEqual([400, 'MalformedXML']);
    expect(codeOf(await complete('strict', id, '', { body: '' }))).toEqual([400, 'MalformedXML']);
    expect(codeOf(await complete('strict', id, tail + small))).toEqual([400, 'InvalidPartOrder']);
    expect(codeOf(await complete('strict', id, partXml(1, 'x')))).toEqual([400, 'InvalidPart']);
    expect(codeOf(await complete('strict', id, partXml(3, md5Hex('tail'))))).toEqual([
      400,
      'InvalidPart',
    ]);
    expect(codeOf(await complete('strict', id, small + tail))).toEqual([400, 'EntityTooSmall']);
    const sized = (size: string) =>
      complete('strict', id, tail, { headers: { 'x-amz-mp-object-size': size } });
    expect(codeOf(await sized('5'))).toEqual([400, 'InvalidRequest']);
    expect(codeOf(await sized('x'))).toEqual([400, 'InvalidArgument']);
    const body = '<CompleteMultipartUpload></CompleteMultipartUpload>';
    expect(
      codeOf(await complete('strict', id, '', { body, headers: { 'content-md5': 'x' } })),
    ).toEqual([400, 'InvalidDigest']);
    expect(codeOf(await complete('strict', id, tail, { headers: { 'if-match': '"x"' } }))).toEqual([
      404,
      'NoSuchKey',
    ]);
    expect((await send({ path: '/multi/strict' })).status).toBe(404);
    await send({ method: 'PUT', path: '/multi/strict', body: 'other' });
    const conditional = { headers: { 'if-none-match': '*' } };
    expect(codeOf(await complete('strict', id, tail, conditional))).toEqual([
      412,
      'PreconditionFailed',
    ]);
    expect((await sized('4')).status).toBe(200);
  });

  it.each(['', 'x', 'u'.repeat(300)])('knows no upload %j', async (uploadId) => {
    expect(codeOf(await complete('none', uploadId, partXml(1, 'x')))).toEqual([
      404,
      'NoSuchUpload',
    ]);
    expect(codeOf(await part('none', uploadId, 1, 'x'))).toEqual([404, 'NoSuchUpload']);
    expect(codeOf(await send({ path: '/multi/none', query: { uploadId } }))).toEqual([
      404,
      'NoSuchUpload',
    ]);
  });

  it('knows an upload under its own key only', async () => {
    const id = await start('mine');
    expect(codeOf(await part('theirs', id, 1, 'x'))).toEqual([404, 'NoSuchUpload']);
  });
});

describe('a part', () => {
  it.each(['0', '10001', '-1', 'x', '', '1.5'])('has no number %j', async (partNumber) => {
    const id = await start('numbers');
    expect(codeOf(await part('numbers', id, partNumber, 'x'))).toEqual([400, 'InvalidArgument']);
  });

  it('is replaced by the next of its number', async () => {
    const id = await start('replaced');
    await part('replaced', id, 1, 'old');
    await part('replaced', id, 1, 'new');
    expect(codeOf(await complete('replaced', id, partXml(1, md5Hex('old'))))).toEqual([
      400,
      'InvalidPart',
    ]);
    expect((await complete('replaced', id, partXml(1, md5Hex('new')))).status).toBe(200);
    expect((await send({ path: '/multi/replaced' })).text).toBe('new');
  });

  it('retrieves of a colder source the range that it copies', async () => {
    const cold = { 'x-amz-storage-class': 'STANDARD_IA' };
    await send({ method: 'PUT', path: '/multi/cold', body: 'x'.repeat(100_000), headers: cold });
    const id = await start('thawed');
    drainedRows(surface);
    const range = { 'x-amz-copy-source': '/multi/cold', 'x-amz-copy-source-range': 'bytes=2-4' };
    expect((await copyPart('thawed', id, range)).status).toBe(200);
    expect(drainedRows(surface)).toMatchObject({
      'class-a/STANDARD': 1n,
      'retrieval/STANDARD_IA': 3n,
    });
  });

  it('can be a copy, of all or of a range', async () => {
    const id = await start('copied');
    const whole = await copyPart('copied', id, {});
    expect(one(whole.text, 'ETag')).toBe(`&quot;${md5Hex('0123456789')}&quot;`);
    const range = await copyPart('copied', id, { 'x-amz-copy-source-range': 'bytes=2-4' });
    expect([range.status, one(range.text, 'ETag')]).toEqual([200, `&quot;${md5Hex('234')}&quot;`]);
    expect(range.headers).not.toHaveProperty('x-amz-copy-source-version-id');
    await complete('copied', id, partXml(1, md5Hex('234')));
    expect((await send({ path: '/multi/copied' })).text).toBe('234');
  });

  it.each([
    '0-2',
    'bytes=0',
    'bytes=-2',
    'bytes=2-',
    'bytes=4-2',
    'bytes=0-2,4-5',
    'bytes=a-b',
    'Bytes=0-2',
    '',
  ])('is no copy of the range %j', async (range) => {
    const id = await start('ranges');
    const reply = await copyPart('ranges', id, { 'x-amz-copy-source-range': range });
    expect(codeOf(reply)).toEqual([400, 'InvalidArgument']);
  });

  it('is no copy beyond its source, of no source, or against a condition', async () => {
    const id = await start('beyond');
    const beyond = await copyPart('beyond', id, { 'x-amz-copy-source-range': 'bytes=0-10' });
    expect(codeOf(beyond)).toEqual([416, 'InvalidRange']);
    expect(codeOf(await copyPart('beyond', id, { 'x-amz-copy-source': '/multi/none' }))).toEqual([
      404,
      'NoSuchKey',
    ]);
    const condition = { 'x-amz-copy-source-if-match': '"x"' };
    expect(codeOf(await copyPart('beyond', id, condition))).toEqual([412, 'PreconditionFailed']);
  });
});

describe('lists', () => {
  it('of parts page by number', async () => {
    const id = await start('listed');
    for (const number of [1, 5, 9]) await part('listed', id, number, `${number}`);
    const list = (query: Record<string, string>) =>
      send({ path: '/multi/listed', query: { uploadId: id, ...query } });
    const first = await list({ 'max-parts': '2' });
    expect([
      all(first.text, 'PartNumber'),
      one(first.text, 'NextPartNumberMarker'),
      one(first.text, 'IsTruncated'),
    ]).toEqual([['1', '5'], '5', 'true']);
    const rest = await list({ 'part-number-marker': '5' });
    expect([
      all(rest.text, 'PartNumber'),
      one(rest.text, 'PartNumberMarker'),
      one(rest.text, 'IsTruncated'),
    ]).toEqual([['9'], '5', 'false']);
    const none = await list({ 'max-parts': '0' });
    expect([
      all(none.text, 'PartNumber'),
      one(none.text, 'IsTruncated'),
      one(none.text, 'MaxParts'),
    ]).toEqual([[], 'false', '0']);
    expect(one((await list({ 'max-parts': '9999' })).text, 'MaxParts')).toBe('1000');
    expect(codeOf(await list({ 'max-parts': 'x' }))).toEqual([400, 'InvalidArgument']);
    expect(codeOf(await list({ 'part-number-marker': '-1' }))).toEqual([400, 'InvalidArgument']);
  });

  it('of uploads page by key and id, and roll up', async () => {
    await send({ method: 'PUT', path: '/uploads' });
    const begin = async (key: string) =>
      one(
        (await send({ method: 'POST', path: `/uploads/${key}`, query: { uploads: '' } })).text,
        'UploadId',
      ) ?? '';
    const ids = [await begin('a'), await begin('a'), await begin('b/1'), await begin('b/2')];
    const list = (query: Record<string, string>) =>
      send({ path: '/uploads', query: { uploads: '', ...query } });
    expect(all((await list({})).text, 'UploadId')).toEqual(ids);
    const first = await list({ 'max-uploads': '1' });
    expect([
      one(first.text, 'NextKeyMarker'),
      one(first.text, 'NextUploadIdMarker'),
      one(first.text, 'IsTruncated'),
    ]).toEqual(['a', ids[0], 'true']);
    const next = await list({ 'key-marker': 'a', 'upload-id-marker': ids[0] ?? '' });
    expect(all(next.text, 'UploadId')).toEqual(ids.slice(1));
    expect(all((await list({ 'key-marker': 'a' })).text, 'UploadId')).toEqual(ids.slice(2));
    // Without a key the upload id says nothing.
    expect(all((await list({ 'upload-id-marker': ids[0] ?? '' })).text, 'UploadId')).toEqual(ids);
    const rolled = await list({ delimiter: '/', prefix: 'b' });
    expect([all(rolled.text, 'UploadId'), all(rolled.text, 'Prefix')]).toEqual([[], ['b', 'b/']]);
    expect(one((await list({ 'max-uploads': '0' })).text, 'IsTruncated')).toBe('false');
    expect(codeOf(await list({ 'max-uploads': 'x' }))).toEqual([400, 'InvalidArgument']);
    expect(
      codeOf(await send({ path: '/uploads', query: { uploads: '' }, as: 'stranger' })),
    ).toEqual([403, 'AccessDenied']);
  });
});
