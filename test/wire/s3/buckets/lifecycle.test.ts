// The lifecycle configuration of a bucket through the SDK: what is put comes back, what it foresees
// is told.
import {
  CreateMultipartUploadCommand,
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type LifecycleRule,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  RestoreObjectCommand,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError, expectFailure } from '../../kit/clients/xml.ts';

const { s3, send, anonymous } = client;

const RULES: LifecycleRule[] = [
  { ID: 'logs', Prefix: 'logs/', Status: 'Enabled', Expiration: { Days: 30 } },
  {
    ID: 'drafts',
    Filter: {
      And: { Prefix: 'drafts/', Tags: [{ Key: 'keep', Value: 'no' }], ObjectSizeGreaterThan: 1000 },
    },
    Status: 'Enabled',
    Transitions: [
      { Days: 30, StorageClass: 'STANDARD_IA' },
      { Days: 60, StorageClass: 'GLACIER_IR' },
    ],
    Expiration: { Days: 365 },
  },
  {
    ID: 'versions',
    Filter: {},
    Status: 'Disabled',
    NoncurrentVersionExpiration: { NoncurrentDays: 90, NewerNoncurrentVersions: 3 },
    NoncurrentVersionTransitions: [{ NoncurrentDays: 30, StorageClass: 'STANDARD_IA' }],
    Expiration: { ExpiredObjectDeleteMarker: true },
  },
  {
    ID: 'uploads',
    Filter: { Prefix: '' },
    Status: 'Enabled',
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
  },
  {
    ID: 'by date',
    Filter: { Tag: { Key: 'until', Value: '2040' } },
    Status: 'Enabled',
    Expiration: { Date: new Date('2040-01-01T00:00:00Z') },
  },
];

describeCore('the lifecycle of a bucket', () => {
  const Bucket = useBucket(client);
  const put = (Rules: LifecycleRule[]) =>
    s3.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }),
    );
  const get = () => s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));

  it('is put, given back and taken away', async () => {
    await expectFailure(get(), 404, 'NoSuchLifecycleConfiguration');
    const { TransitionDefaultMinimumObjectSize: size } = await put(RULES);
    expect(size).toBe('all_storage_classes_128K');
    expect((await get()).Rules).toEqual(RULES);
    await s3.send(new DeleteBucketLifecycleCommand({ Bucket }));
    await expectFailure(get(), 404, 'NoSuchLifecycleConfiguration');
  });

  it('is refused as S3 refuses it', async () => {
    const rule: LifecycleRule = { ID: 'a', Prefix: '', Status: 'Enabled', Expiration: { Days: 1 } };
    await expectFailure(put([rule, rule]), 400, 'InvalidArgument');
    await expectFailure(put([{ ...rule, Expiration: { Days: 0 } }]), 400, 'InvalidArgument');
    await expectFailure(put([{ ...rule, Status: 'enabled' as 'Enabled' }]), 400, 'MalformedXML');
    await expectFailure(put([{ ID: 'a', Prefix: '', Status: 'Enabled' }]), 400, 'InvalidRequest');
    await expectFailure(get(), 404, 'NoSuchLifecycleConfiguration');
  });

  it('shows what it would do, and does nothing', async () => {
    await put([
      { ID: 'drafts', Filter: { Prefix: 'dry/' }, Status: 'Enabled', Expiration: { Days: 3 } },
    ]);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'dry/run', Body: 'x' }));
    const at = new Date(Date.now() + 5 * 24 * 3600 * 1000).toISOString();
    const reply = await send({
      method: 'GET',
      bucket: Bucket,
      query: { lifecycle: '', 'dry-run': '', at },
    });
    expect(JSON.parse(reply.text)).toMatchObject({
      ...{ bucket: Bucket, at, next: null },
      items: [
        { action: 'expire', subject: 'current', key: 'dry/run', ruleId: 'drafts', sizeBytes: 1 },
      ],
    });
    await s3.send(new HeadObjectCommand({ Bucket, Key: 'dry/run' }));
    expectError(
      await anonymous({ method: 'GET', bucket: Bucket, query: { lifecycle: '', 'dry-run': '' } }),
      403,
      'AccessDenied',
    );
  });

  it('tells writers and readers what it foresees', async () => {
    await put(RULES);
    const Key = 'logs/today';
    const { Expiration } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    const [, date = '', id] =
      /^expiry-date="([^"]+)", rule-id="([^"]+)"$/.exec(Expiration ?? '') ?? [];
    expect(id).toBe('logs');
    const inDays = (Date.parse(date) - Date.now()) / (24 * 3600 * 1000);
    expect(inDays).toBeGreaterThan(29.9);
    expect(inDays).toBeLessThan(31.1);
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key }))).Expiration).toBe(Expiration);
    const read = await s3.send(new GetObjectCommand({ Bucket, Key }));
    await read.Body?.transformToByteArray();
    expect(read.Expiration).toBe(Expiration);
    const tagged = await s3.send(
      new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', Tagging: 'until=2040' }),
    );
    expect(tagged.Expiration).toBe(
      'expiry-date="Sun, 01 Jan 2040 00:00:00 GMT", rule-id="by%20date"',
    );
    const upload = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'big' }));
    expect(upload.AbortRuleId).toBe('uploads');
    expect(upload.AbortDate?.getTime()).toBeGreaterThan(Date.now() + 7 * 24 * 3600 * 1000 - 60_000);
  });

  it('archives nothing, so that nothing is restored, whatever its class', async () => {
    const restore = (Key: string, Days = 1) =>
      s3.send(
        new RestoreObjectCommand({
          Bucket,
          Key,
          RestoreRequest: { Days, GlacierJobParameters: { Tier: 'Bulk' } },
        }),
      );
    for (const StorageClass of ['STANDARD', 'STANDARD_IA', 'GLACIER_IR'] as const) {
      await s3.send(new PutObjectCommand({ Bucket, Key: StorageClass, Body: 'x', StorageClass }));
      const refused = await expectFailure(restore(StorageClass), 403, 'InvalidObjectState');
      expect(refused.StorageClass).toBe(StorageClass);
      const { StorageClass: shown } = await s3.send(
        new HeadObjectCommand({ Bucket, Key: StorageClass }),
      );
      expect(shown).toBe(StorageClass === 'STANDARD' ? undefined : StorageClass);
    }
    await expectFailure(restore('STANDARD', 0), 400, 'MalformedXML');
    await expectFailure(restore('missing'), 404, 'NoSuchKey');
    const call = {
      bucket: Bucket,
      key: 'STANDARD',
      query: { restore: '' },
      body: '<RestoreRequest/>',
    };
    expectError(await anonymous({ method: 'POST', ...call }), 403, 'AccessDenied');
    const archived = new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', StorageClass: 'GLACIER' });
    await expectFailure(s3.send(archived), 400, 'InvalidStorageClass');
  });
});
