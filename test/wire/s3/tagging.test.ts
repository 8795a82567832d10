// Tags of objects and buckets through the SDK, as programs use them: put, counted, copied, with an
// upload, taken away.
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteBucketTaggingCommand,
  DeleteObjectTaggingCommand,
  GetBucketTaggingCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type Tag,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectFailure } from '../kit/clients/xml.ts';

const { s3 } = client;
const TAGS: Tag[] = [
  { Key: 'colour', Value: 'grün' },
  { Key: 'size', Value: '' },
];

describeCore('tags', () => {
  const Bucket = useBucket(client);
  const tagsOf = async (Key: string) =>
    (await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet;

  it('of an object are put, counted, replaced and taken away', async () => {
    const Key = 'plain';
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', Tagging: 'a=1&b' }));
    expect(await tagsOf(Key)).toEqual([
      { Key: 'a', Value: '1' },
      { Key: 'b', Value: '' },
    ]);
    await s3.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: TAGS } }));
    expect(await tagsOf(Key)).toEqual(TAGS);
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).TagCount).toBe(2);
    await s3.send(new DeleteObjectTaggingCommand({ Bucket, Key }));
    expect(await tagsOf(Key)).toEqual([]);
  });

  it('that break a rule are refused by name', async () => {
    const put = (TagSet: Tag[]) =>
      s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'plain', Tagging: { TagSet } }));
    await expectFailure(put([{ Key: 'k', Value: 'a;b' }]), 400, 'InvalidTag');
    const eleven = Array.from({ length: 11 }, (_, i) => ({ Key: `k${i}`, Value: '' }));
    await expectFailure(put(eleven), 400, 'InvalidTag');
    await expectFailure(tagsOf('missing'), 404, 'NoSuchKey');
  });

  it('go along with a copy, or are replaced by it', async () => {
    const CopySource = `${Bucket}/source`;
    await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body: 'x', Tagging: 'a=1' }));
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }));
    expect(await tagsOf('copy')).toEqual([{ Key: 'a', Value: '1' }]);
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'copy',
        CopySource,
        TaggingDirective: 'REPLACE',
        Tagging: 'b=2',
      }),
    );
    expect(await tagsOf('copy')).toEqual([{ Key: 'b', Value: '2' }]);
  });

  it('of a multipart upload are those of its start', async () => {
    const Key = 'parts';
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket, Key, Tagging: 'from=upload' }),
    );
    const { ETag } = await s3.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }),
    );
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
    expect(await tagsOf(Key)).toEqual([{ Key: 'from', Value: 'upload' }]);
  });

  it('of a bucket are put, given back and taken away', async () => {
    const get = () => s3.send(new GetBucketTaggingCommand({ Bucket }));
    await expectFailure(get(), 404, 'NoSuchTagSet');
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: TAGS } }));
    expect((await get()).TagSet).toEqual(TAGS);
    await s3.send(new DeleteBucketTaggingCommand({ Bucket }));
    await expectFailure(get(), 404, 'NoSuchTagSet');
  });
});
