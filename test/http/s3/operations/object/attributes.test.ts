import { beforeAll, describe, expect, it } from 'vitest';
import { all, codeOf, one } from '../../kit/responses.ts';
import { createTestSurface } from '../../kit/surface.ts';

const { send } = createTestSurface();

beforeAll(async () => {
  await send({ method: 'PUT', path: '/attributes' });
  await send({ method: 'PUT', path: '/attributes/k', body: 'hello' });
  const begun = await send({ method: 'POST', path: '/attributes/m', query: { uploads: '' } });
  const uploadId = one(begun.text, 'UploadId') ?? '';
  const big = new Uint8Array(5 * 1024 * 1024);
  let parts = '';
  for (const [partNumber, body] of [
    ['1', big],
    ['4', big],
    ['6', 'tail'],
  ] as const) {
    const sent = await send({
      method: 'PUT',
      path: '/attributes/m',
      query: { uploadId, partNumber },
      body,
    });
    parts += `<Part><PartNumber>${partNumber}</PartNumber><ETag>${sent.headers.etag}</ETag></Part>`;
  }
  const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
  await send({ method: 'POST', path: '/attributes/m', query: { uploadId }, body });
});

const ask = (
  key: string,
  attributes: string | null,
  headers: Record<string, string> = {},
  query: Record<string, string> = {},
) =>
  send({
    path: `/attributes/${key}`,
    query: { attributes: '', ...query },
    headers: {
      ...(attributes === null ? {} : { 'x-amz-object-attributes': attributes }),
      ...headers,
    },
  });

describe('GetObjectAttributes', () => {
  it('gives what is asked for and no more', async () => {
    const reply = await ask('k', 'ObjectSize, ETag');
    expect(reply.headers['last-modified']).toBe('Fri, 24 May 2013 00:00:00 GMT');
    expect([one(reply.text, 'ETag'), one(reply.text, 'ObjectSize')]).toEqual([
      '5d41402abc4b2a76b9719d911017c592',
      '5',
    ]);
    expect(reply.text).not.toContain('StorageClass');
    const none = await ask('k', 'Checksum,ObjectParts');
    expect(none.text).toMatch(
      /<GetObjectAttributesResponse xmlns="[^"]+"><\/GetObjectAttributesResponse>/,
    );
  });

  it('pages parts by number', async () => {
    const page = async (headers: Record<string, string>) => {
      const { text } = await ask('m', 'ObjectParts', headers);
      return [
        all(text, 'PartNumber'),
        one(text, 'PartsCount'),
        one(text, 'NextPartNumberMarker'),
        one(text, 'IsTruncated'),
      ];
    };
    expect(await page({})).toEqual([['1', '4', '6'], '3', '6', 'false']);
    expect(await page({ 'x-amz-max-parts': '2' })).toEqual([['1', '4'], '3', '4', 'true']);
    expect(await page({ 'x-amz-part-number-marker': '4' })).toEqual([['6'], '3', '6', 'false']);
    expect(await page({ 'x-amz-max-parts': '1', 'x-amz-part-number-marker': '1' })).toEqual([
      ['4'],
      '3',
      '4',
      'true',
    ]);
    expect(await page({ 'x-amz-max-parts': '0' })).toEqual([[], '3', '0', 'false']);
    const { text } = await ask('m', 'ObjectParts', { 'x-amz-max-parts': '5000' });
    expect([one(text, 'MaxParts'), all(text, 'Size')]).toEqual([
      '1000',
      ['5242880', '5242880', '4'],
    ]);
  });

  it.each([
    [null, {}],
    ['', {}],
    [',,', {}],
    ['Colour', {}],
    ['etag', {}],
    ['ETag', { 'x-amz-max-parts': 'x' }],
    ['ETag', { 'x-amz-part-number-marker': '-1' }],
  ] as [string | null, Record<string, string>][])('refuses %j %j', async (attributes, headers) => {
    expect(codeOf(await ask('k', attributes, headers))).toEqual([400, 'InvalidArgument']);
  });

  it('knows versions and missing keys', async () => {
    expect((await ask('k', 'ETag', {}, { versionId: 'null' })).headers['x-amz-version-id']).toBe(
      'null',
    );
    expect(codeOf(await ask('k', 'ETag', {}, { versionId: 'x' }))).toEqual([
      400,
      'InvalidArgument',
    ]);
    expect(codeOf(await ask('none', 'ETag'))).toEqual([404, 'NoSuchKey']);
  });
});
