// ListParts and ListMultipartUploads, page by page, and UploadPartCopy with its strict ranges.
import {
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { sampleBytes } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError, xmlRoot } from '../../kit/clients/xml.ts';
import {
  completed,
  PART_MIN_BYTES,
  putPart,
  sendPart,
  startUpload,
} from '../../kit/multipart-kit.ts';
import { md5Hex } from '../../kit/reference-checksums.ts';

const { s3, send } = client;

describeCore('ListParts', () => {
  const bucket = useBucket(client);
  const numbers = [1, 2, 5, 9, 10, 100, 9999];
  let UploadId = '';
  beforeAll(async () => {
    UploadId = await startUpload(bucket, 'k');
    for (const number of [...numbers].reverse())
      await putPart(bucket, 'k', UploadId, number, `part ${number}`);
  });

  it('describes each part in the order of numbers', async () => {
    const page = await s3.send(new ListPartsCommand({ Bucket: bucket, Key: 'k', UploadId }));
    expect(page).toMatchObject({
      Bucket: bucket,
      Key: 'k',
      UploadId,
      IsTruncated: false,
      StorageClass: 'STANDARD',
    });
    expect(page.Parts?.map(({ PartNumber }) => PartNumber)).toEqual(numbers);
    expect(page.Parts?.[2]).toMatchObject({ ETag: `"${md5Hex(Buffer.from('part 5'))}"`, Size: 6 });
    expect(page.Owner?.ID).toMatch(/\S/);
    expect(page.Initiator?.ID).toMatch(/\S/);
  });

  it.each([1, 2, 3, 6, 7, 8])('pages by %i', async (MaxParts) => {
    const found: (number | undefined)[] = [];
    for (let PartNumberMarker: string | undefined; ; ) {
      const page = await s3.send(
        new ListPartsCommand({ Bucket: bucket, Key: 'k', UploadId, MaxParts, PartNumberMarker }),
      );
      expect(page.MaxParts).toBe(MaxParts);
      expect(page.Parts?.length).toBe(Math.min(MaxParts, numbers.length - found.length));
      found.push(...(page.Parts ?? []).map(({ PartNumber }) => PartNumber));
      expect(page.IsTruncated).toBe(found.length < numbers.length);
      if (!page.IsTruncated) break;
      PartNumberMarker = page.NextPartNumberMarker;
    }
    expect(found).toEqual(numbers);
  });

  it.each([
    { 'max-parts': 'x' },
    { 'max-parts': '-1' },
    { 'part-number-marker': 'x' },
    { 'part-number-marker': '-1' },
  ] as Record<string, string>[])('refuses %j', async (query) => {
    expectError(
      await send({ method: 'GET', bucket, key: 'k', query: { uploadId: UploadId, ...query } }),
      400,
      'InvalidArgument',
    );
  });
});

describeCore('ListMultipartUploads', () => {
  const bucket = useBucket(client);
  const keys = ['a', 'a', 'a', 'b/1', 'b/2', 'c', 'ü', '\u{1F600}'];
  const uploads: { key: string; id: string }[] = [];
  beforeAll(async () => {
    for (const key of keys) uploads.push({ key, id: await startUpload(bucket, key) });
  });

  it('shows every upload by key, those of one key by their start', async () => {
    const page = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    expect(page.Uploads?.map(({ Key }) => Key)).toEqual(keys);
    expect(page.Uploads?.map(({ UploadId }) => UploadId)).toEqual(uploads.map(({ id }) => id));
    expect(page.Uploads?.[0]?.Initiated).toBeInstanceOf(Date);
    expect(page.IsTruncated).toBe(false);
  });

  it.each([1, 2, 3, 7, 8, 9])('pages by %i', async (MaxUploads) => {
    const found: (string | undefined)[] = [];
    let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    for (;;) {
      const page = await s3.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, MaxUploads, ...marker }),
      );
      expect(page.Uploads?.length).toBe(Math.min(MaxUploads, keys.length - found.length));
      found.push(...(page.Uploads ?? []).map(({ UploadId }) => UploadId));
      if (!page.IsTruncated) break;
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
    expect(found).toEqual(uploads.map(({ id }) => id));
  });

  it('narrows by prefix and rolls up by delimiter', async () => {
    const some = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: 'b/' }));
    expect(some.Uploads?.map(({ Key }) => Key)).toEqual(['b/1', 'b/2']);
    const rolled = await s3.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Delimiter: '/' }),
    );
    expect(rolled.CommonPrefixes).toEqual([{ Prefix: 'b/' }]);
    expect(rolled.Uploads?.map(({ Key }) => Key)).toEqual(
      keys.filter((key) => !key.startsWith('b/')),
    );
    const after = await s3.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, KeyMarker: 'a' }),
    );
    expect(after.Uploads?.map(({ Key }) => Key)).toEqual(keys.filter((key) => key !== 'a'));
  });

  it('encodes keys when asked to', async () => {
    const query = { uploads: '', 'encoding-type': 'url', prefix: 'ü' };
    const root = xmlRoot(
      (await send({ method: 'GET', bucket, query })).text,
      'ListMultipartUploadsResult',
    );
    expect(root).toMatchObject({ EncodingType: 'url', Prefix: '%C3%BC' });
    expect(root.Upload[0].Key).toBe('%C3%BC');
  });
});

describeCore('UploadPartCopy', () => {
  const bucket = useBucket(client);
  const other = useBucket(client);
  const source = sampleBytes(PART_MIN_BYTES + 1000, 21);
  beforeAll(async () => {
    await s3.send(new PutObjectCommand({ Bucket: other, Key: 'source file', Body: source }));
  });

  const copyPart = (uploadId: string, partNumber: number, headers: Record<string, string> = {}) =>
    sendPart(bucket, 'k', uploadId, partNumber, {
      headers: { 'x-amz-copy-source': `${other}/source%20file`, ...headers },
      payloadHash: 'UNSIGNED-PAYLOAD',
    });

  it('takes whole objects and ranges of them from another bucket', async () => {
    const uploadId = await startUpload(bucket, 'k');
    const parts = [];
    for (const [number, range] of [
      [1, null],
      [2, 'bytes=10-5242899'],
      [3, 'bytes=0-0'],
    ] as const) {
      const reply = await copyPart(
        uploadId,
        number,
        range === null ? {} : { 'x-amz-copy-source-range': range },
      );
      expect(reply.status, reply.text).toBe(200);
      const result = xmlRoot(reply.text, 'CopyPartResult');
      expect(result.LastModified).toMatch(/Z$/);
      parts.push({ partNumber: number, etag: result.ETag });
    }
    const bodies = [source, source.subarray(10, 5_242_900), source.subarray(0, 1)];
    expect(parts.map(({ etag }) => etag)).toEqual(bodies.map((body) => `"${md5Hex(body)}"`));
    await completed(bucket, 'k', uploadId, parts);
    expect(
      (await send({ method: 'GET', bucket, key: 'k' })).body.equals(Buffer.concat(bodies)),
    ).toBe(true);
  });

  it.each(['bytes=0-', 'bytes=-5', '0-5', 'bytes=5-2', 'bytes=a-b', 'bytes=0-1,3-4', 'bytes 0-5'])(
    'refuses the range %j',
    async (range) => {
      const uploadId = await startUpload(bucket, 'k');
      expectError(
        await copyPart(uploadId, 1, { 'x-amz-copy-source-range': range }),
        400,
        'InvalidArgument',
      );
    },
  );

  it('refuses a range beyond the source', async () => {
    const uploadId = await startUpload(bucket, 'k');
    const beyond = { 'x-amz-copy-source-range': `bytes=0-${source.length}` };
    const reply = await copyPart(uploadId, 1, beyond);
    expect([400, 416]).toContain(reply.status);
    expect(reply.text).toMatch(/<Code>(InvalidRange|InvalidArgument)<\/Code>/);
  });

  it('looks at conditions, sources and uploads that are not there', async () => {
    const uploadId = await startUpload(bucket, 'k');
    expect(
      (await copyPart(uploadId, 1, { 'x-amz-copy-source-if-match': `"${md5Hex(source)}"` })).status,
    ).toBe(200);
    expectError(
      await copyPart(uploadId, 1, { 'x-amz-copy-source-if-match': '"x"' }),
      412,
      'PreconditionFailed',
    );
    expectError(
      await copyPart(uploadId, 1, { 'x-amz-copy-source': `${other}/missing` }),
      404,
      'NoSuchKey',
    );
    expectError(await copyPart('no-such-upload', 1), 404, 'NoSuchUpload');
  });
});
