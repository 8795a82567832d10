// Where the logs and the events of a bucket may go: what the documents may say, and what of it is
// given back.
import { beforeAll, describe, expect, it } from 'vitest';
import { testLines } from '../../kit/refusals.ts';
import { createTestSurface, OWNER, type Sent } from '../../kit/surface.ts';

const surface = createTestSurface();
const { send } = surface;
const BUCKET = '/bucket';
const put = (name: string): Partial<Sent> => ({ method: 'PUT', query: { [name]: '' } });
const body = (text: string) => ({ body: text });

beforeAll(async () => {
  for (const path of [BUCKET, '/logs', '/plain'])
    expect((await send({ method: 'PUT', path })).status).toBe(200);
  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: {
      Effect: 'Allow',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: 'arn:aws:s3:::logs/*',
    },
  });
  const granted = { method: 'PUT', path: '/logs', query: { policy: '' }, body: policy };
  expect((await send(granted)).status).toBe(204);
  const open = JSON.stringify({
    Version: '2012-10-17',
    Statement: {
      Effect: 'Allow',
      Principal: { AWS: '*' },
      Action: 's3:PutBucketLogging',
      Resource: 'arn:aws:s3:::bucket',
    },
  });
  const opened = { method: 'PUT', path: BUCKET, query: { policy: '' }, body: open };
  expect((await send(opened)).status).toBe(204);
});

describe('a logging configuration', () => {
  const enabled = (inner: string) =>
    body(`<BucketLoggingStatus><LoggingEnabled>${inner}</LoggingEnabled></BucketLoggingStatus>`);
  const to = (rest: string) =>
    enabled(`<TargetBucket>logs</TargetBucket><TargetPrefix>log/</TargetPrefix>${rest}`);
  const grant = (grantee: string) =>
    to(`<TargetGrants><Grant>${grantee}<Permission>READ</Permission></Grant></TargetGrants>`);
  const format = (inner: string) => to(`<TargetObjectKeyFormat>${inner}</TargetObjectKeyFormat>`);
  const dated = (source: string) =>
    format(
      `<PartitionedPrefix><PartitionDateSource>${source}</PartitionDateSource></PartitionedPrefix>`,
    );
  const prefixed = (length: number) =>
    enabled(`<TargetBucket>logs</TargetBucket><TargetPrefix>${'p'.repeat(length)}</TargetPrefix>`);

  testLines(surface, BUCKET, put('logging'), [
    ['may name no prefix', enabled('<TargetBucket>logs</TargetBucket>'), '200'],
    ['may have a prefix of 800 characters', prefixed(800), '200'],
    ['may have no longer prefix', prefixed(801), 'MalformedXML: TargetPrefix is too long'],
    [
      'must name a bucket',
      enabled('<TargetBucket>A_B</TargetBucket>'),
      'InvalidTargetBucketForLogging',
    ],
    [
      'may grant rights to its own account',
      grant(`<Grantee><ID>${OWNER.id}</ID></Grantee>`),
      '200',
    ],
    ['may grant rights to nobody else', grant('<Grantee><ID>x</ID></Grantee>'), 'NotImplemented'],
    ['may not grant rights to a group', grant('<Grantee><URI>x</URI></Grantee>'), 'NotImplemented'],
    ['may not grant rights without a grantee', grant(''), 'MalformedXML: Grantee is missing'],
    ['may have simple prefixes', format('<SimplePrefix/>'), '200'],
    ['may have partitioned prefixes', format('<PartitionedPrefix/>'), '200'],
    [
      'may not have both kinds of prefix',
      format('<SimplePrefix/><PartitionedPrefix/>'),
      'MalformedXML: one of the two formats',
    ],
    ['may not have neither kind of prefix', format(''), 'MalformedXML: one of the two formats'],
    ['may be dated by events', dated('EventTime'), '200'],
    ['may not be dated by anything else', dated('Tomorrow'), 'MalformedXML: PartitionDateSource'],
    ['is its owner’s alone', { ...to(''), as: 'stranger' }, 'AccessDenied'],
    [
      'may not name a bucket that is not there',
      enabled('<TargetBucket>nowhere</TargetBucket>'),
      'NoSuchKey: The target bucket for logging does not exist',
    ],
    [
      'may not name its own bucket',
      enabled('<TargetBucket>bucket</TargetBucket>'),
      'InvalidArgument: must be another one',
    ],
    [
      'may not name a bucket whose policy keeps logs out',
      enabled('<TargetBucket>plain</TargetBucket>'),
      'AccessDenied: The policy of the target bucket',
    ],
  ]);

  it.each([
    ['', '<SimplePrefix></SimplePrefix>'],
    ['<SimplePrefix/>', '<SimplePrefix></SimplePrefix>'],
    [
      '<PartitionedPrefix/>',
      '<PartitionedPrefix><PartitionDateSource>DeliveryTime</PartitionDateSource>' +
        '</PartitionedPrefix>',
    ],
    [
      '<PartitionedPrefix><PartitionDateSource>EventTime</PartitionDateSource></PartitionedPrefix>',
      '<PartitionedPrefix><PartitionDateSource>EventTime</PartitionDateSource></PartitionedPrefix>',
    ],
  ])('that has the format %j is given back with %j', async (sent, stored) => {
    await send({ ...put('logging'), path: BUCKET, ...(sent === '' ? to('') : format(sent)) });
    const { text } = await send({ path: BUCKET, query: { logging: '' } });
    expect(text).toContain(
      '<LoggingEnabled><TargetBucket>logs</TargetBucket><TargetPrefix>log/</TargetPrefix>' +
        `<TargetObjectKeyFormat>${stored}</TargetObjectKeyFormat></LoggingEnabled>`,
    );
  });
});

describe('a notification configuration', () => {
  const ARN = `arn:quayside:webhook:::wh_${'0'.repeat(10)}`;
  const rule = (id: string, inner: string, event = 's3:ObjectCreated:*', arn = ARN) =>
    `<TopicConfiguration><Id>${id}</Id><Event>${event}</Event><Topic>${arn}</Topic>${inner}` +
    '</TopicConfiguration>';
  const rules = (inner: string) =>
    body(`<NotificationConfiguration>${inner}</NotificationConfiguration>`);
  const filter = (inner: string) => rule('a', `<Filter><S3Key>${inner}</S3Key></Filter>`);
  const part = (name: string, value: string) =>
    `<FilterRule><Name>${name}</Name><Value>${value}</Value></FilterRule>`;
  const many = (count: number) =>
    rules(
      Array.from({ length: count }, (_, at) =>
        rule(`r${at}`, `<Filter><S3Key>${part('prefix', `p${1000 + at}/`)}</S3Key></Filter>`),
      ).join(''),
    );
  /** What is said to rules that are right but for their webhook, which is nobody's. */
  const READ = 'InvalidArgument: Unable to validate the following destination configurations';

  testLines(surface, BUCKET, put('notification'), [
    ['is read as far as its webhook', rules(rule('a', '')), READ],
    ['may be empty', rules(''), '200'],
    [
      'must name a webhook',
      rules(rule('a', '', 's3:TestEvent', 'x')),
      'InvalidArgument: The ARN is not well formed',
    ],
    [
      'must name an event',
      rules(`<TopicConfiguration><Topic>${ARN}</Topic></TopicConfiguration>`),
      'MalformedXML: has no Event',
    ],
    [
      'may name S3’s events alone',
      rules(rule('a', '', 's3:Boo')),
      'InvalidArgument: The event is not supported',
    ],
    ['may have an id of 255 characters', rules(rule('i'.repeat(255), '')), READ],
    [
      'may have no longer id',
      rules(rule('i'.repeat(256), '')),
      'InvalidArgument: An ID has at most 255',
    ],
    [
      'may not have an id twice',
      rules(filter(part('prefix', 'a')) + filter(part('prefix', 'b'))),
      'InvalidArgument: Same ID used',
    ],
    ['may have 100 rules', many(100), READ],
    [
      'may have no more rules',
      many(101),
      'InvalidArgument: A bucket can have 100 notification configurations',
    ],
    [
      'may filter by prefix and suffix',
      rules(filter(part('Prefix', 'a') + part('suffix', 'b'))),
      READ,
    ],
    [
      'may filter by nothing else',
      rules(filter(part('infix', 'a'))),
      'InvalidArgument: either prefix or suffix',
    ],
    [
      'may not filter by two prefixes',
      rules(filter(part('prefix', 'a') + part('prefix', 'b'))),
      'InvalidArgument: more than one prefix rule',
    ],
    [
      'may not filter by two suffixes',
      rules(filter(part('suffix', 'a') + part('suffix', 'b'))),
      'InvalidArgument: more than one suffix rule',
    ],
    ['may filter by 1024 characters', rules(filter(part('prefix', 'p'.repeat(1024)))), READ],
    [
      'may filter by no more',
      rules(filter(part('prefix', 'p'.repeat(1025)))),
      'InvalidArgument: A filter value has at most 1024',
    ],
    [
      'may not send an event twice',
      rules(rule('a', '') + rule('b', '', 's3:ObjectCreated:Put')),
      'InvalidArgument: Configuration is ambiguously defined',
    ],
    [
      'may send an event of other keys elsewhere',
      rules(
        filter(part('prefix', 'a')) +
          rule('b', `<Filter><S3Key>${part('prefix', 'b')}</S3Key></Filter>`),
      ),
      READ,
    ],
    ['may send other events elsewhere', rules(rule('a', '') + rule('b', '', 's3:TestEvent')), READ],
    ['may not send to EventBridge', rules('<EventBridgeConfiguration/>'), 'NotImplemented'],
  ]);
});
