// Event notifications as their users meet them: webhooks made by the JSON API, rules put by the AWS
// SDK, messages that come signed, in order, again after failures, and as dead letters when it has
// no end.
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectTaggingCommand,
  type Event,
  GetBucketNotificationConfigurationCommand,
  type NotificationConfiguration,
  PutBucketNotificationConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { type ApiClient, tokenClient } from '../../kit/clients/json-api.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectFailure } from '../../kit/clients/xml.ts';
import {
  isSignedBy,
  type Received,
  type Receiver,
  startReceiver,
} from '../../kit/webhook-receiver.ts';

const { s3, target } = client;

describeCore('event notifications', () => {
  const bucket = useBucket(client);
  const versioned = useBucket(client);
  let receiver: Receiver;
  let api: ApiClient;

  beforeAll(async () => {
    receiver = await startReceiver();
    api = await tokenClient(client);
  });
  afterAll(() => receiver.close());

  const makeWebhook = async (path: string, more: object = {}) => {
    const made = await api.call('POST', '/webhooks', { url: `${receiver.url}${path}`, ...more });
    expect([made.status, made.json]).toEqual([201, expect.objectContaining({ isEnabled: true })]);
    return made.json as { id: string; arn: string; secret: string };
  };
  const put = (configuration: NotificationConfiguration, Bucket: string = bucket) =>
    s3.send(
      new PutBucketNotificationConfigurationCommand({
        Bucket,
        NotificationConfiguration: configuration,
      }),
    );
  const at = (path: string) => (message: Received) =>
    message.path === `/hook${path}` && 'Records' in message.json;
  const write = (Key: string, Body = 'x', Bucket: string = bucket) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  const all: Event[] = [
    's3:ObjectCreated:*',
    's3:ObjectRemoved:*',
    's3:ObjectTagging:*',
    's3:ObjectAcl:Put',
  ];

  it('are what S3 sends, signed, for every kind of change', async () => {
    const { arn, secret } = await makeWebhook('/all');
    await put({ QueueConfigurations: [{ Id: 'everything', QueueArn: arn, Events: all }] });
    const Key = 'a b/ö+ü.txt';
    await write(Key, 'hello');
    await s3.send(
      new PutObjectTaggingCommand({
        Bucket: bucket,
        Key,
        Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] },
      }),
    );
    await s3.send(new DeleteObjectTaggingCommand({ Bucket: bucket, Key }));
    await s3.send(new PutObjectAclCommand({ Bucket: bucket, Key, ACL: 'private' }));
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    const messages = await receiver.until(5, at('/all'));
    const records = messages.map(({ json }) => json.Records[0]);
    expect(records.map(({ eventName }) => eventName)).toEqual([
      'ObjectCreated:Put',
      'ObjectTagging:Put',
      'ObjectTagging:Delete',
      'ObjectAcl:Put',
      'ObjectRemoved:Delete',
    ]);
    expect(records[0]).toEqual({
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      awsRegion: expect.any(String),
      eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      eventName: 'ObjectCreated:Put',
      userIdentity: { principalId: expect.any(String) },
      requestParameters: { sourceIPAddress: expect.any(String) },
      responseElements: {
        'x-amz-request-id': expect.any(String),
        'x-amz-id-2': expect.any(String),
      },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId: 'everything',
        bucket: {
          name: `${bucket}`,
          ownerIdentity: { principalId: expect.any(String) },
          arn: `arn:aws:s3:::${bucket}`,
        },
        object: {
          key: 'a+b/%C3%B6%2B%C3%BC.txt',
          size: 5,
          eTag: '5d41402abc4b2a76b9719d911017c592',
          sequencer: expect.stringMatching(/^[0-9A-F]{16}$/),
        },
      },
    });
    const sequencers = records.map((record) => record.s3.object.sequencer);
    expect(sequencers).toEqual(sequencers.toSorted());
    expect(new Set(sequencers).size).toBe(5);
    expect(records[4].s3.object).toEqual({
      key: 'a+b/%C3%B6%2B%C3%BC.txt',
      sequencer: sequencers[4],
    });
    expect(messages.every((message) => isSignedBy(secret, message))).toBe(true);
    expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
    const tests = await receiver.until(
      1,
      ({ path, json }) => path === '/hook/all' && json.Event === 's3:TestEvent',
    );
    expect(tests[0]?.json).toMatchObject({ Service: 'Amazon S3', Bucket: `${bucket}` });
  });

  it('tell copies, multipart uploads and versions apart', async () => {
    const { arn } = await makeWebhook('/kinds');
    await s3.send(
      new PutBucketVersioningCommand({
        Bucket: versioned,
        VersioningConfiguration: { Status: 'Enabled' },
      }),
    );
    await put({ TopicConfigurations: [{ TopicArn: arn, Events: all }] }, versioned);
    const Key = 'k';
    const { VersionId: first } = await write(Key, 'x', versioned);
    await s3.send(
      new CopyObjectCommand({
        Bucket: versioned,
        Key,
        CopySource: `${versioned}/k`,
        MetadataDirective: 'REPLACE',
      }),
    );
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket: versioned, Key }),
    );
    const part = { Bucket: versioned, Key, UploadId, PartNumber: 1 };
    const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body: 'part' }));
    const complete = {
      Bucket: versioned,
      Key,
      UploadId,
      MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] },
    };
    await s3.send(new CompleteMultipartUploadCommand(complete));
    // Asked again, it is the same upload, and tells nothing again.
    await s3.send(new CompleteMultipartUploadCommand(complete));
    const { VersionId: marker } = await s3.send(
      new DeleteObjectCommand({ Bucket: versioned, Key }),
    );
    await s3.send(new DeleteObjectCommand({ Bucket: versioned, Key, VersionId: first }));
    const messages = await receiver.until(5, at('/kinds'));
    expect(
      messages.map(({ json }) => [json.Records[0].eventName, json.Records[0].s3.object.versionId]),
    ).toEqual([
      ['ObjectCreated:Put', first],
      ['ObjectCreated:Copy', expect.any(String)],
      ['ObjectCreated:CompleteMultipartUpload', expect.any(String)],
      ['ObjectRemoved:DeleteMarkerCreated', marker],
      ['ObjectRemoved:Delete', first],
    ]);
  });

  it('tell of a rename as of a copy and a deletion', async () => {
    const { arn } = await makeWebhook('/renamed');
    await put({
      QueueConfigurations: [
        { QueueArn: arn, Events: ['s3:ObjectCreated:*', 's3:ObjectRemoved:*'] },
      ],
    });
    await write('old/a');
    const started = await api.call('POST', `/buckets/${bucket}/jobs`, {
      kind: 'move',
      prefix: 'old/',
      to: 'new/',
    });
    expect(started.status, JSON.stringify(started.json)).toBeLessThan(300);
    const messages = await receiver.until(3, at('/renamed'));
    expect(
      messages
        .map(({ json }) => [json.Records[0].eventName, json.Records[0].s3.object.key])
        .toSorted(),
    ).toEqual([
      ['ObjectCreated:Copy', 'new/a'],
      ['ObjectCreated:Put', 'old/a'],
      ['ObjectRemoved:Delete', 'old/a'],
    ]);
  });

  it('follow rules, which are kept and shown, and nothing else', async () => {
    const [one, two] = [await makeWebhook('/jpg'), await makeWebhook('/logs')];
    const filterOf = (Name: 'prefix' | 'suffix', Value: string) => ({
      Key: { FilterRules: [{ Name, Value }] },
    });
    await put({
      QueueConfigurations: [
        {
          Id: 'jpg',
          QueueArn: one.arn,
          Events: ['s3:ObjectCreated:Put'],
          Filter: filterOf('suffix', '.jpg'),
        },
      ],
      LambdaFunctionConfigurations: [
        {
          Id: 'logs',
          LambdaFunctionArn: `arn:aws:lambda:us-east-1:123456789012:function:${two.id}`,
          Events: ['s3:ObjectRemoved:*'],
          Filter: filterOf('prefix', 'logs/'),
        },
      ],
    });
    const shown = await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket: bucket }));
    expect(shown.QueueConfigurations).toMatchObject([
      { Id: 'jpg', QueueArn: one.arn, Events: ['s3:ObjectCreated:Put'] },
    ]);
    expect(shown.LambdaFunctionConfigurations?.[0]?.Filter?.Key?.FilterRules).toEqual([
      { Name: 'Prefix', Value: 'logs/' },
    ]);
    for (const key of ['a.txt', 'logs/1', 'a.jpg']) await write(key);
    for (const Key of ['a.txt', 'logs/1', 'logs/none'])
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    await write('b.jpg');
    const pictures = await receiver.until(2, at('/jpg'));
    expect(pictures.map(({ json }) => json.Records[0].s3.object.key)).toEqual(['a.jpg', 'b.jpg']);
    const logs = await receiver.until(1, at('/logs'));
    expect(logs.map(({ json }) => json.Records[0].s3.object.key)).toEqual(['logs/1']);
    await put({});
    expect(
      (await s3.send(new GetBucketNotificationConfigurationCommand({ Bucket: bucket })))
        .QueueConfigurations,
    ).toBe(undefined);
  });

  it('have no rules that S3 refuses', async () => {
    const { arn } = await makeWebhook('/refused');
    const queue = (Events: Event[], prefix = '', suffix = '') => ({
      QueueArn: arn,
      Events,
      Filter: {
        Key: {
          FilterRules: [
            { Name: 'prefix' as const, Value: prefix },
            { Name: 'suffix' as const, Value: suffix },
          ],
        },
      },
    });
    const wrong: [string, NotificationConfiguration][] = [
      [
        'overlap',
        {
          QueueConfigurations: [
            queue(['s3:ObjectCreated:*']),
            queue(['s3:ObjectCreated:Put'], 'a'),
          ],
        },
      ],
      [
        'suffix',
        {
          QueueConfigurations: [
            queue(['s3:ObjectCreated:*'], 'a', '.gz'),
            queue(['s3:ObjectCreated:*'], 'ab', 'tar.gz'),
          ],
        },
      ],
      ['event', { QueueConfigurations: [queue(['s3:ObjectEaten' as Event])] }],
      [
        'arn',
        { TopicConfigurations: [{ TopicArn: 'arn:aws:sns:us-east-1:1:topic', Events: all }] },
      ],
      [
        'unknown',
        {
          TopicConfigurations: [
            { TopicArn: 'arn:quayside:webhook:::wh_0123456789abc', Events: all },
          ],
        },
      ],
    ];
    for (const [name, configuration] of wrong) {
      await expectFailure(put(configuration), 400, 'InvalidArgument').catch((error) => {
        throw new Error(`${name}: ${error}`);
      });
    }
    await expectFailure(put({ EventBridgeConfiguration: {} }), 501, 'NotImplemented');
    await put({
      QueueConfigurations: [
        queue(['s3:ObjectCreated:*'], 'a/', '.gz'),
        queue(['s3:ObjectCreated:*'], 'a/', '.zip'),
      ],
    });
    await put({});
  });

  it('are retried in order, follow no redirect, and end as dead letters to resend', async () => {
    const { id, arn, secret } = await makeWebhook('/flaky');
    await put({ QueueConfigurations: [{ QueueArn: arn, Events: ['s3:ObjectCreated:*'] }] });
    await receiver.until(1, ({ path }) => path === '/hook/flaky');
    receiver.answerNext('/flaky', 500, 302);
    await write('k', '1');
    await write('k', '22');
    const sizes = (messages: Received[]) =>
      messages.map(({ json }) => json.Records[0].s3.object.size);
    const tried = await receiver.until(4, at('/flaky'));
    expect(sizes(tried)).toEqual([1, 1, 1, 2]);
    expect(new Set(tried.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(receiver.received.some(({ path }) => path === '/elsewhere')).toBe(false);

    receiver.answerNext('/flaky', 503, 503, 503);
    await write('dead', '333');
    await receiver.until(7, at('/flaky'));
    const listed = async (state: string) =>
      (await api.call('GET', `/webhooks/${id}/deliveries?bucket=${bucket}&state=${state}`)).json;
    await expect.poll(async () => (await listed('dead')).items.length).toBe(1);
    const [letter] = (await listed('dead')).items;
    expect(letter).toMatchObject({
      type: 'ObjectCreated:Put',
      key: 'dead',
      attempts: 3,
      lastStatus: 503,
    });
    const replayed = await api.call('POST', `/webhooks/${id}/replay`, {
      bucket,
      ids: [letter.id],
    });
    expect([replayed.status, replayed.json]).toEqual([202, { count: 1 }]);
    const again = (await receiver.until(8, at('/flaky')))[7];
    expect([again?.headers['webhook-id'], again?.json.Records[0].s3.object.key]).toEqual([
      letter.messageId,
      'dead',
    ]);
    expect(again !== undefined && isSignedBy(secret, again)).toBe(true);
    await expect.poll(async () => (await listed('dead')).items.length).toBe(0);
    await expect.poll(async () => (await listed('delivered')).items.length).toBe(4);
    await put({});
  });

  it('go to a webhook that is listed, changed, tested, rotated and deleted', async () => {
    const { id, secret } = await makeWebhook('/kept', {
      description: 'Of a test',
      types: ['usage.*'],
    });
    const seen = (await api.call('GET', `/webhooks/${id}`)).headers.etag ?? '';
    const change = (match: object) =>
      api.call('PATCH', `/webhooks/${id}`, { description: 'Other' }, { ...match });
    expect((await change({})).status).toBe(428);
    expect(
      (await api.call('GET', '/webhooks')).json.items.map((item: { id: string }) => item.id),
    ).toContain(id);
    const changed = await change({ 'if-match': seen });
    expect(changed.json).toMatchObject({
      description: 'Other',
      types: ['usage.*'],
      url: `${receiver.url}/kept`,
    });
    expect((await change({ 'if-match': seen })).status).toBe(412);
    const rotated = await api.call('POST', `/webhooks/${id}/secret`);
    expect(rotated.json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const sent = await api.call('POST', `/webhooks/${id}/test`);
    expect(sent.status).toBe(202);
    const [message] = await receiver.until(1, ({ path }) => path === '/hook/kept');
    expect(message?.json).toMatchObject({ type: 'quayside.test', data: { webhook: id } });
    expect(message?.headers['webhook-id']).toBe(sent.json.messageId);
    for (const each of [secret, rotated.json.secret]) {
      expect(message !== undefined && isSignedBy(each, message)).toBe(true);
    }
    expect(JSON.stringify((await api.call('GET', `/webhooks/${id}`)).json)).not.toContain('whsec_');
    expect((await api.call('DELETE', `/webhooks/${id}`)).status).toBe(204);
    const gone = await api.call('GET', `/webhooks/${id}`);
    expect([gone.status, gone.json.code]).toEqual([404, 'NoSuchWebhook']);
    for (const url of [
      'nonsense',
      'ftp://example.com/',
      'https://user:pass@example.com/',
      'https://example.com/#x',
    ]) {
      expect([url, (await api.call('POST', '/webhooks', { url })).status]).toEqual([url, 400]);
    }
  });

  it.skipIf(target.other === null)('show nothing of theirs to other accounts', async () => {
    const { id, arn } = await makeWebhook('/mine');
    const other = await tokenClient(client, target.other ?? target);
    for (const [method, path] of [
      ['GET', `/webhooks/${id}`],
      ['POST', `/webhooks/${id}/test`],
      ['POST', `/webhooks/${id}/secret`],
      ['GET', `/webhooks/${id}/deliveries`],
    ] as const) {
      expect([path, (await other.call(method, path)).json.code]).toEqual([path, 'NoSuchWebhook']);
    }
    await other.call('DELETE', `/webhooks/${id}`);
    expect((await api.call('GET', `/webhooks/${id}`)).json.arn).toBe(arn);
  });
});
