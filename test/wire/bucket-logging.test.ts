// Server access logging of buckets: configuration, who may write the log, and the log itself as objects.
import {
  GetBucketLoggingCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketLoggingCommand,
  PutBucketPolicyCommand,
  PutBucketWebsiteCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, it, vi } from 'vitest';
import { useBucket } from './bucket.ts';
import { client, describeCore } from './suite.ts';
import { expectError } from './xml.ts';

const { s3, send, anonymous } = client;
const { websiteDomain, url } = client.target;
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
    await send({ method: 'POST', bucket, key: 'parts', query: { uploads: '' } });
    await anonymous({ method: 'GET', bucket, key: 'a "b"', query: { versionId: 'null' } });
    await s3.send(
      new PutBucketCorsCommand({
        Bucket: bucket,
        CORSConfiguration: { CORSRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }] },
      }),
    );
    const asked = { origin: 'https://a.example', 'access-control-request-method': 'GET' };
    await anonymous({ method: 'OPTIONS', bucket, key: 'a "b"', headers: asked });
    if (websiteDomain !== null) {
      await send({ method: 'PUT', bucket, key: 'index.html', body: '<p>', headers: { 'x-amz-acl': 'public-read' } });
      const WebsiteConfiguration = { IndexDocument: { Suffix: 'index.html' } };
      await s3.send(new PutBucketWebsiteCommand({ Bucket: bucket, WebsiteConfiguration }));
      const host = `${bucket}.${websiteDomain}:${new URL(url).port}`;
      await vi.waitFor(
        async () => expect((await anonymous({ method: 'GET', path: '/', host })).status).toBe(200),
        WAIT,
      );
    }
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
    /** As RadosGW's own tests read them. */
    const fieldsOf = (line = '') => line.match(/\[[^\]]*\]|"[^"]*"|\S+/g) ?? [];
    const lineOf = (operation: string, status: number) =>
      fieldsOf(lines.find((line) => line.includes(` ${operation} `) && line.includes(` HTTP/1.1" ${status} `)));
    expect(fieldsOf(put)).toHaveLength(26);
    // Error, bytes sent, size of the object.
    expect(lineOf('REST.PUT.OBJECT', 200).slice(10, 13)).toEqual(['-', '-', '5']);
    expect(lineOf('REST.GET.OBJECT', 200).slice(10, 13)).toEqual(['-', '5', '5']);
    expect(lineOf('REST.GET.OBJECT', 403)).toMatchObject({ 4: '-', 10: 'AccessDenied', 17: 'null' });
    expect(lineOf('REST.POST.UPLOADS', 200)[7]).toBe('parts');
    expect(lineOf('REST.OPTIONS.PREFLIGHT', 200)[7]).toBe('a%20%22b%22');
    if (websiteDomain !== null) expect(lineOf('WEBSITE.GET.OBJECT', 200)).toMatchObject({ 7: 'index.html', 12: '3' });
  });

  it('ends when it is switched off', async () => {
    await s3.send(new PutBucketLoggingCommand({ Bucket: bucket, BucketLoggingStatus: {} }));
    expect((await s3.send(new GetBucketLoggingCommand({ Bucket: bucket }))).LoggingEnabled).toBe(undefined);
  });
});
