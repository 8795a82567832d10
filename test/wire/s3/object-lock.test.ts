// Object lock through the SDK, as backup programs use it: a bucket with it, retention and holds at
// the write and later, what they keep from happening, and who may override what.
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectLegalHoldCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { removeBucket } from '../kit/clients/bucket-work.ts';
import { freshBucketName } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectFailure } from '../kit/clients/xml.ts';

const { s3 } = client;
const DAY_MS = 24 * 3600 * 1000;
/** Whole seconds, as S3 shows dates. */
const inDays = (days: number) => new Date(Math.floor((Date.now() + days * DAY_MS) / 1000) * 1000);

describeCore('object lock', () => {
  const Bucket = freshBucketName();
  const plain = useBucket(client);
  const kept: { Key: string; VersionId: string | undefined }[] = [];
  beforeAll(async () => {
    await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
  });
  afterAll(async () => {
    for (const { Key, VersionId } of kept) {
      await s3.send(
        new PutObjectLegalHoldCommand({ Bucket, Key, VersionId, LegalHold: { Status: 'OFF' } }),
      );
      await s3.send(
        new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention: true }),
      );
    }
    if (!client.target.isTemporary) await removeBucket(client, Bucket);
  });

  const put = async (Key: string, more: Partial<PutObjectCommandInput> = {}) => {
    const { VersionId } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ...more }));
    kept.push({ Key, VersionId });
    return VersionId;
  };
  const drop = (Key: string, VersionId: string | undefined, BypassGovernanceRetention = false) =>
    s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention }));
  const retain = (
    Key: string,
    Mode: 'GOVERNANCE' | 'COMPLIANCE',
    RetainUntilDate: Date,
    BypassGovernanceRetention = false,
  ) =>
    s3.send(
      new PutObjectRetentionCommand({
        Bucket,
        Key,
        Retention: { Mode, RetainUntilDate },
        BypassGovernanceRetention,
      }),
    );
  const gone = (Key: string, VersionId: string | undefined) => {
    kept.splice(
      kept.findIndex((one) => one.Key === Key && one.VersionId === VersionId),
      1,
    );
  };

  it('needs versioning, and keeps it', async () => {
    const suspend = { Status: 'Suspended' } as const;
    await expectFailure(
      s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: suspend })),
      409,
      'InvalidBucketState',
    );
    const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled' } as const;
    await expectFailure(
      s3.send(new PutObjectLockConfigurationCommand({ Bucket: plain, ObjectLockConfiguration })),
      409,
      'InvalidBucketState',
    );
    await expectFailure(
      s3.send(new GetObjectLockConfigurationCommand({ Bucket: plain })),
      404,
      'ObjectLockConfigurationNotFoundError',
    );
    await expectFailure(
      s3.send(
        new PutObjectCommand({
          Bucket: plain,
          Key: 'k',
          Body: 'x',
          ObjectLockLegalHoldStatus: 'ON',
        }),
      ),
      400,
      'InvalidRequest',
    );
  });

  it('is given to new versions by the default, and shown', async () => {
    const Key = 'by-default';
    const ObjectLockConfiguration = {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 2 } },
    } as const;
    await s3.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }));
    const got = await s3.send(new GetObjectLockConfigurationCommand({ Bucket }));
    expect(got.ObjectLockConfiguration).toEqual(ObjectLockConfiguration);
    const VersionId = await put(Key);
    const { ObjectLockMode, ObjectLockRetainUntilDate, LastModified } = await s3.send(
      new HeadObjectCommand({ Bucket, Key }),
    );
    expect(ObjectLockMode).toBe('GOVERNANCE');
    const keptMs = (ObjectLockRetainUntilDate?.getTime() ?? 0) - (LastModified?.getTime() ?? 0);
    expect(Math.floor(keptMs / 1000)).toBe((2 * DAY_MS) / 1000);
    await expectFailure(drop(Key, VersionId), 403, 'AccessDenied');
    const off = { ObjectLockEnabled: 'Enabled' } as const;
    await s3.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration: off }));
  });

  it('of a write keeps its version, not its key, until governance is bypassed', async () => {
    const Key = 'written';
    const until = inDays(1);
    const VersionId = await put(Key, {
      ObjectLockMode: 'GOVERNANCE',
      ObjectLockRetainUntilDate: until,
      ObjectLockLegalHoldStatus: 'ON',
    });
    const shown = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(await shown.Body?.transformToString()).toBe('x');
    expect(shown).toMatchObject({
      ObjectLockMode: 'GOVERNANCE',
      ObjectLockRetainUntilDate: until,
      ObjectLockLegalHoldStatus: 'ON',
    });
    await expectFailure(drop(Key, VersionId, true), 403, 'AccessDenied');
    await s3.send(new PutObjectLegalHoldCommand({ Bucket, Key, LegalHold: { Status: 'OFF' } }));
    expect((await s3.send(new GetObjectLegalHoldCommand({ Bucket, Key }))).LegalHold).toEqual({
      Status: 'OFF',
    });
    await expectFailure(drop(Key, VersionId), 403, 'AccessDenied');
    const marker = await drop(Key, undefined);
    expect(marker.DeleteMarker).toBe(true);
    await drop(Key, marker.VersionId);
    const { Deleted, Errors } = await s3.send(
      new DeleteObjectsCommand({
        Bucket,
        Delete: { Objects: [{ Key, VersionId }, { Key: 'other' }] },
      }),
    );
    expect(Errors).toMatchObject([{ Code: 'AccessDenied', Key, VersionId }]);
    expect(Deleted).toMatchObject([{ Key: 'other', DeleteMarker: true }]);
    await drop(Key, VersionId, true);
    gone(Key, VersionId);
  });

  it('of an upload is that of its start', async () => {
    const Key = 'parts';
    const lock = { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: inDays(3) } as const;
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...lock }));
    const { ETag } = await s3.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }),
    );
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    const { VersionId } = await s3.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }),
    );
    kept.push({ Key, VersionId });
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject(lock);
    await expectFailure(drop(Key, VersionId), 403, 'AccessDenied');
  });

  it('is made longer by whoever may, shorter and stricter only by the bypass', async () => {
    const Key = 'changed';
    await put(Key);
    await expectFailure(
      s3.send(new GetObjectRetentionCommand({ Bucket, Key })),
      404,
      'NoSuchObjectLockConfiguration',
    );
    const longer = inDays(2);
    await retain(Key, 'GOVERNANCE', inDays(1));
    await retain(Key, 'GOVERNANCE', longer);
    await expectFailure(retain(Key, 'GOVERNANCE', inDays(1)), 403, 'AccessDenied');
    await expectFailure(retain(Key, 'COMPLIANCE', longer), 403, 'AccessDenied');
    const { Retention } = await s3.send(new GetObjectRetentionCommand({ Bucket, Key }));
    expect(Retention).toEqual({ Mode: 'GOVERNANCE', RetainUntilDate: longer });
    await retain(Key, 'GOVERNANCE', inDays(1), true);
    await expectFailure(retain(Key, 'GOVERNANCE', inDays(-1), true), 400, 'InvalidArgument');
  });

  it('of compliance is over when its time is, and not before', async () => {
    const Key = 'strict';
    const startedMs = performance.now();
    const free = await put('free');
    await drop('free', free);
    gone('free', free);
    // Two such requests must come before it.
    const until = new Date(Date.now() + Math.max(1500, 10 * (performance.now() - startedMs)));
    const VersionId = await put(Key, {
      ObjectLockMode: 'COMPLIANCE',
      ObjectLockRetainUntilDate: until,
    });
    await expectFailure(drop(Key, VersionId, true), 403, 'AccessDenied');
    await expect
      .poll(
        () =>
          drop(Key, VersionId).then(
            () => 'deleted',
            () => 'kept',
          ),
        { timeout: 15_000, interval: 250 },
      )
      .toBe('deleted');
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    gone(Key, VersionId);
  });
});
