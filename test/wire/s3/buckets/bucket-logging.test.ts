// Server access logging of buckets: configuration, who may write the log, and the log itself as
// objects.
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
import { useBucket } from '../../kit/bucket.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError } from '../../kit/clients/xml.ts';

const { s3, send, anonymous } = client;
const { websiteDomain, url } = client.target;
/** The fields of a line, as RadosGW's tests tell them apart. */
const fieldsOf = (line: string): string[] => line.match(/\[[^\]]*\]|"[^"]*"|\S+/g) ?? [];
/** The server writes a log once it is a second old. */
const WAIT = { timeout: 40_000, interval: 300 };

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
      '<BucketLoggingStatus><LoggingEnabled><TargetPrefix>x</TargetPrefix></LoggingEnabled>' +
      '</BucketLoggingStatus>';
    expectError(
      await send({ method: 'PUT', bucket, query: { logging: '' }, body: odd }),
      400,
      'MalformedXML',
    );
  });

  it('writes what was asked of the bucket, in the format of S3', { timeout: 60_000 }, async () => {
    await configure(logs);
    const { LoggingEnabled } = await s3.send(new GetBucketLoggingCommand({ Bucket: bucket }));
    expect(LoggingEnabled).toMatchObject({
      TargetBucket: logs,
      TargetPrefix: 'log/',
      TargetObjectKeyFormat: { SimplePrefix: {} },
    });
    await send({
      method: 'PUT',
      bucket,
      key: 'a "b"',
      body: 'hello',
      headers: { 'user-agent': 'the "client"' },
    });
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
    const preflight = () => anonymous({ method: 'OPTIONS', bucket, key: 'a "b"', headers: asked });
    await vi.waitFor(async () => expect((await preflight()).status).toBe(200), WAIT);
    if (websiteDomain !== null) {
      await send({
        method: 'PUT',
        bucket,
        key: 'index.html',
        body: '<p>',
        headers: { 'x-amz-acl': 'public-read' },
      });
      const WebsiteConfiguration = { IndexDocument: { Suffix: 'index.html' } };
      await s3.send(new PutBucketWebsiteCommand({ Bucket: bucket, WebsiteConfiguration }));
      const host = `${bucket}.${websiteDomain}:${new URL(url).port}`;
      await vi.waitFor(
        async () => expect((await anonymous({ method: 'GET', path: '/', host })).status).toBe(200),
        WAIT,
      );
    }
    await send({ method: 'HEAD', bucket, key: 'missing' });
    const key = 'a%20%22b%22';
    /**
     * Behind the key and the request line: status, error, bytes sent, size of the object, and the
     * version further on.
     */
    const wanted: [string, string, string[], string?][] = [
      ['REST.PUT.OBJECT', key, ['200', '-', '-', '5']],
      ['REST.GET.OBJECT', key, ['200', '-', '5', '5']],
      ['REST.GET.OBJECT', key, ['403', 'AccessDenied'], 'null'],
      ['REST.POST.UPLOADS', 'parts', ['200', '-']],
      ['REST.OPTIONS.PREFLIGHT', key, ['200', '-', '-', '-']],
      ['REST.HEAD.OBJECT', 'missing', ['404', 'NoSuchKey', '-', '-']],
      ['REST.PUT.CORS', '-', ['200', '-', '-', '-']],
    ];
    if (websiteDomain !== null)
      wanted.push(['WEBSITE.GET.OBJECT', 'index.html', ['200', '-', '3', '3']]);
    // Each request may be the one that makes the lines old enough.
    const lines = await vi.waitFor(async () => {
      await send({ method: 'HEAD', bucket, key: 'a "b"' });
      const { Contents = [] } = await s3.send(
        new ListObjectsV2Command({ Bucket: logs, Prefix: 'log/' }),
      );
      const texts = await Promise.all(
        Contents.map(async ({ Key }) =>
          (await s3.send(new GetObjectCommand({ Bucket: logs, Key }))).Body?.transformToString(),
        ),
      );
      const found = texts.join('').trimEnd().split('\n').map(fieldsOf);
      for (const [operation, of, rest, versionId = '-'] of wanted) {
        const isIt = (line: string[]) =>
          line[6] === operation &&
          line[7] === of &&
          line[17] === versionId &&
          rest.every((text, i) => line[9 + i] === text);
        expect(found.some(isIt), `${operation} ${of} ${rest}`).toBe(true);
      }
      return found;
    }, WAIT);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([26]));
    const put = lines.find((line) => line[16] === '"the %22client%22"') ?? [];
    expect(put[1]).toBe(bucket);
    expect(put[2]).toMatch(/^\[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\]$/);
    expect(put[8]).toMatch(/^"PUT \//);
  });

  it('ends when it is switched off', async () => {
    await s3.send(new PutBucketLoggingCommand({ Bucket: bucket, BucketLoggingStatus: {} }));
    expect((await s3.send(new GetBucketLoggingCommand({ Bucket: bucket }))).LoggingEnabled).toBe(
      undefined,
    );
  });
});
