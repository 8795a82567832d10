// Server access logging of buckets: configuration, who may write the log, and the log itself as objects.
import {
  GetBucketLoggingCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketLoggingCommand,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, it, vi } from 'vitest';
import { useBucket } from './bucket.ts';
import { client, describeCore } from './suite.ts';
import { expectError } from './xml.ts';

const { s3, send } = client;
/** The server writes a log once it is a second old. */
const WAIT = { timeout: 15_000, interval: 300 };

describeCore('Server access logging', () => {
  const bucket = useBucket(client);
  const logs = useBucket(client);

  const configure = (TargetBucket: string, TargetPrefix = 'log/') =>
    s3.send(
      new PutBucketLoggingCommand({
        Bucket: bucket,
        BucketLoggingStatus: { LoggingEnabled: { TargetBucket, TargetPrefix } },
      }),
    );
  const code = (Code: string) => expect.objectContaining({ name: Code });

  beforeAll(async () => {
    await expect(configure(logs)).rejects.toEqual(code('AccessDenied'));
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'logging.s3.amazonaws.com' },
          Action: 's3:PutObject',
          Resource: `arn:aws:s3:::${logs}/log/*`,
          Condition: { ArnLike: { 'aws:SourceArn': `arn:aws:s3:::${bucket}` } },
        },
      ],
    });
    await s3.send(new PutBucketPolicyCommand({ Bucket: logs, Policy }));
  });

  it('goes only where the owner of the target lets it', async () => {
    await expect(configure(logs, 'other/')).rejects.toEqual(code('AccessDenied'));
    await expect(configure(bucket)).rejects.toEqual(code('InvalidArgument'));
    await expect(configure(`${logs}-never`)).rejects.toEqual(code('NoSuchKey'));
    const odd =
      '<BucketLoggingStatus><LoggingEnabled><TargetPrefix>x</TargetPrefix></LoggingEnabled></BucketLoggingStatus>';
    expectError(await send({ method: 'PUT', bucket, query: { logging: '' }, body: odd }), 400, 'MalformedXML');
  });

  it('writes what was asked of the bucket, in the format of S3', async () => {
    await configure(logs);
    const { LoggingEnabled } = await s3.send(new GetBucketLoggingCommand({ Bucket: bucket }));
    expect(LoggingEnabled).toMatchObject({
      TargetBucket: logs,
      TargetPrefix: 'log/',
      TargetObjectKeyFormat: { SimplePrefix: {} },
    });
    await send({ method: 'PUT', bucket, key: 'a "b"', body: 'hello', headers: { 'user-agent': 'the "client"' } });
    await send({ method: 'GET', bucket, key: 'a "b"' });
    await send({ method: 'GET', bucket, key: 'missing' });
    // Each request may be the one that makes the lines old enough.
    const lines = await vi.waitFor(async () => {
      await send({ method: 'HEAD', bucket, key: 'a "b"' });
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: logs, Prefix: 'log/' }));
      const texts = await Promise.all(
        Contents.map(async ({ Key }) =>
          (await s3.send(new GetObjectCommand({ Bucket: logs, Key }))).Body?.transformToString(),
        ),
      );
      const found = texts.join('').split('\n');
      expect(found.some((line) => line.includes(' 404 NoSuchKey '))).toBe(true);
      return found;
    }, WAIT);
    const put = lines.find((line) => line.includes('REST.PUT.OBJECT'));
    expect(put).toMatch(new RegExp(`^\\S+ ${bucket} \\[\\d\\d/[A-Z][a-z]{2}/\\d{4}:\\d\\d:\\d\\d:\\d\\d \\+0000\\] `));
    expect(put).toContain(' a%20%22b%22 "PUT /');
    expect(put).toContain('"the %22client%22"');
    expect(put?.split(' ').length).toBeGreaterThan(20);
    expect(lines.some((line) => line.includes('REST.GET.OBJECT'))).toBe(true);
  });

  it('ends when it is switched off', async () => {
    await s3.send(new PutBucketLoggingCommand({ Bucket: bucket, BucketLoggingStatus: {} }));
    expect((await s3.send(new GetBucketLoggingCommand({ Bucket: bucket }))).LoggingEnabled).toBe(undefined);
  });
});
