// Versioning through the official SDK: what a key stands for, reads and deletions by version id,
// delete markers, copies of old versions, suspension, the listing of versions with all its ways to
// page.
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';

const { s3, send } = client;

type Page = Pick<ListObjectVersionsCommandOutput, 'Versions' | 'DeleteMarkers'>;

const setVersioning = (Bucket: string, Status: 'Enabled' | 'Suspended') =>
  s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
const put = async (Bucket: string, Key: string, Body: string) =>
  (await s3.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId;
const textOf = async (Bucket: string, Key: string, VersionId?: string) =>
  (await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }))).Body?.transformToString();

describeCore('Versioning', () => {
  const bucket = useBucket(client);
  beforeAll(() => setVersioning(bucket, 'Enabled'));

  it('is off at first, then what was set', async () => {
    const plain = await client.s3.send(new GetBucketVersioningCommand({ Bucket: bucket }));
    expect(plain.Status).toBe('Enabled');
    expectError(
      await send({ method: 'PUT', bucket, query: { versioning: '' }, body: '<x/>' }),
      400,
      'MalformedXML',
    );
    const off = '<VersioningConfiguration><Status>Off</Status></VersioningConfiguration>';
    expectError(
      await send({ method: 'PUT', bucket, query: { versioning: '' }, body: off }),
      400,
      'MalformedXML',
    );
  });

  it('keeps every version and gives each by its id', async () => {
    const ids = [await put(bucket, 'kept', 'one'), await put(bucket, 'kept', 'two')];
    expect(new Set(ids).size).toBe(2);
    expect(await textOf(bucket, 'kept')).toBe('two');
    expect(await textOf(bucket, 'kept', ids[0])).toBe('one');
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'kept' }));
    expect(head.VersionId).toBe(ids[1]);
    expectError(
      await send({ method: 'GET', bucket, key: 'kept', query: { versionId: 'x' } }),
      400,
      'InvalidArgument',
    );
    const never = `${ids[0]?.slice(0, -1)}${ids[0]?.endsWith('0') ? '1' : '0'}`;
    expectError(
      await send({ method: 'GET', bucket, key: 'kept', query: { versionId: never } }),
      404,
      'NoSuchVersion',
    );
  });

  it('hides a deleted key behind a marker that can be deleted itself', async () => {
    const id = await put(bucket, 'hidden', 'still here');
    const deleted = await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'hidden' }));
    expect(deleted.DeleteMarker).toBe(true);
    const gone = await send({ method: 'GET', bucket, key: 'hidden' });
    expect([gone.status, gone.headers['x-amz-delete-marker']]).toEqual([404, 'true']);
    expect(gone.headers['x-amz-version-id']).toBe(deleted.VersionId);
    const marker = await send({
      method: 'GET',
      bucket,
      key: 'hidden',
      query: { versionId: deleted.VersionId ?? '' },
    });
    expect([marker.status, marker.headers.allow, marker.headers['x-amz-delete-marker']]).toEqual([
      405,
      'DELETE',
      'true',
    ]);
    expect(marker.headers['last-modified']).toMatch(/GMT$/);
    expect(await textOf(bucket, 'hidden', id)).toBe('still here');
    const listed = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'hidden' }));
    expect(listed.KeyCount).toBe(0);
    const back = await s3.send(
      new DeleteObjectCommand({ Bucket: bucket, Key: 'hidden', VersionId: deleted.VersionId }),
    );
    expect([back.DeleteMarker, back.VersionId]).toEqual([true, deleted.VersionId]);
    expect(await textOf(bucket, 'hidden')).toBe('still here');
  });

  it('deletes versions and makes markers in one request', async () => {
    const ids = [await put(bucket, 'many', '1'), await put(bucket, 'many', '2')];
    await put(bucket, 'other', 'o');
    const { Deleted, Errors } = await s3.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: {
          Objects: [{ Key: 'many', VersionId: ids[1] }, { Key: 'other' }, { Key: 'never' }],
        },
      }),
    );
    expect(Errors).toBe(undefined);
    expect(Deleted?.[0]).toMatchObject({ Key: 'many', VersionId: ids[1] });
    expect(Deleted?.[1]).toMatchObject({ Key: 'other', DeleteMarker: true });
    expect(Deleted?.[2]).toMatchObject({ Key: 'never', DeleteMarker: true });
    expect(await textOf(bucket, 'many')).toBe('1');
  });

  it('copies an old version, onto its own key too', async () => {
    const id = await put(bucket, 'source', 'old');
    await put(bucket, 'source', 'new');
    const CopySource = `${bucket}/source?versionId=${id}`;
    const copied = await s3.send(
      new CopyObjectCommand({ Bucket: bucket, Key: 'source', CopySource }),
    );
    expect(copied.CopySourceVersionId).toBe(id);
    expect(await textOf(bucket, 'source')).toBe('old');
  });

  it('names the version of a completed upload', async () => {
    const at = { Bucket: bucket, Key: 'parts' };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at));
    const part = await s3.send(
      new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'part' }),
    );
    const MultipartUpload = {
      Parts: [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }],
    };
    const done = await s3.send(
      new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }),
    );
    expect(await textOf(bucket, 'parts', done.VersionId)).toBe('part');
  });
});

describeCore('Suspended versioning', () => {
  const bucket = useBucket(client);

  it('has one version without an id, from before and from now', async () => {
    await put(bucket, 'k', 'before');
    await setVersioning(bucket, 'Enabled');
    const kept = await put(bucket, 'k', 'kept');
    expect(await textOf(bucket, 'k', 'null')).toBe('before');
    await setVersioning(bucket, 'Suspended');
    expect(await put(bucket, 'k', 'suspended')).toBe(undefined);
    expect(await textOf(bucket, 'k', 'null')).toBe('suspended');
    expect(await textOf(bucket, 'k', kept)).toBe('kept');
    const deleted = await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'k' }));
    expect([deleted.DeleteMarker, deleted.VersionId]).toEqual([true, 'null']);
    const { Versions, DeleteMarkers } = await s3.send(
      new ListObjectVersionsCommand({ Bucket: bucket }),
    );
    expect(Versions?.map(({ VersionId }) => VersionId)).toEqual([kept]);
    expect(DeleteMarkers?.map(({ VersionId }) => VersionId)).toEqual(['null']);
  });
});

describeCore('ListObjectVersions', () => {
  const bucket = useBucket(client);
  /** What the listing must say, in its order: `key=text`, `-` for a marker. */
  const expected: string[] = [];

  beforeAll(async () => {
    await setVersioning(bucket, 'Enabled');
    for (const key of ['a', 'b/1', 'b/2', 'ä']) {
      const own: string[] = [];
      for (const size of [1, 2, 3]) {
        await put(bucket, key, 'x'.repeat(size));
        own.unshift(`${key}=${size}`);
      }
      expected.push(...own);
    }
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'b/2' }));
    expected.splice(expected.indexOf('b/2=3'), 0, 'b/2=-');
  });

  const names = (page: Page) => [
    ...(page.Versions ?? []).map(({ Key, Size }) => `${Key}=${Size}`),
    ...(page.DeleteMarkers ?? []).map(({ Key }) => `${Key}=-`),
  ];

  it.each([1, 2, 5, 1000])('lists everything in pages of %i', async (MaxKeys) => {
    const seen: string[] = [];
    let [KeyMarker, VersionIdMarker]: (string | undefined)[] = [];
    for (;;) {
      const page: ListObjectVersionsCommandOutput = await s3.send(
        new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys, KeyMarker, VersionIdMarker }),
      );
      seen.push(...names(page));
      if (page.IsTruncated !== true) break;
      [KeyMarker, VersionIdMarker] = [page.NextKeyMarker, page.NextVersionIdMarker];
    }
    expect([...seen].sort()).toEqual([...expected].sort());
    expect(seen.filter((name) => !name.endsWith('-'))).toEqual(
      expected.filter((name) => !name.endsWith('-')),
    );
  });

  it('rolls up, filters and encodes as the listing of objects does', async () => {
    const rolled = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Delimiter: '/' }));
    expect(rolled.CommonPrefixes).toEqual([{ Prefix: 'b/' }]);
    expect(names(rolled)).toEqual(expected.filter((name) => !name.startsWith('b/')));
    const reply = await send({
      method: 'GET',
      bucket,
      query: { versions: '', 'encoding-type': 'url', prefix: 'ä' },
    });
    expect(reply.text).toContain('<Key>%C3%A4</Key>');
    expect(reply.text.match(/<IsLatest>true<\/IsLatest>/g)).toHaveLength(1);
  });

  it('wants a key with a version', async () => {
    const query = { versions: '', 'version-id-marker': 'null' };
    expectError(await send({ method: 'GET', bucket, query }), 400, 'InvalidArgument');
  });

  describe('clean-up', () => {
    it('works as tools do it: page, delete, go on', async () => {
      const page = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 5 }));
      const Objects = (page.Versions ?? []).map(({ Key, VersionId }) => ({ Key, VersionId }));
      await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
      const next = await s3.send(
        new ListObjectVersionsCommand({
          Bucket: bucket,
          KeyMarker: page.NextKeyMarker,
          VersionIdMarker: page.NextVersionIdMarker,
        }),
      );
      expect(names(page).length + names(next).length).toBe(expected.length);
    });
  });
});
