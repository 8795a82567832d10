import { describe, expect, it } from 'vitest';
import { readCreateBucketConfiguration } from '../../../../src/http/s3/formats/create-bucket-document.ts';
import {
  readCompleteMultipartUpload,
  readDelete,
} from '../../../../src/http/s3/formats/documents.ts';
import { readNotificationConfiguration } from '../../../../src/http/s3/formats/notification-document.ts';
import { failing } from '../kit/responses.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const NS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

describe('CreateBucketConfiguration', () => {
  const read = (content: string) =>
    readCreateBucketConfiguration(
      bytes(`<CreateBucketConfiguration ${NS}>${content}</CreateBucketConfiguration>`),
    );

  it.each([
    ['<LocationConstraint>eu-west-1</LocationConstraint>', 'eu-west-1'],
    ['<LocationConstraint> eu-west-1\n</LocationConstraint>', 'eu-west-1'],
    ['<LocationConstraint></LocationConstraint>', null],
    ['<LocationConstraint/>', null],
    ['', null],
    ['\n  ', null],
  ])('%j', (content, region) => {
    expect(read(content)).toEqual({ region, tags: null });
  });

  it('may bring tags', () => {
    const tags = read('<Tags><Tag><Key>a</Key><Value>1</Value></Tag></Tags>').tags;
    expect(tags).toEqual({ a: '1' });
    expect(() => read('<Tags><Tag><Key></Key><Value>1</Value></Tag></Tags>')).toThrow(
      failing('InvalidTag'),
    );
  });

  it.each(['Location', 'Bucket'])('refuses %s by name', (name) => {
    expect(() => read(`<${name}><X/></${name}>`)).toThrow(failing('NotImplemented'));
    expect(() => read(`<${name}/>`)).toThrow(new RegExp(name));
  });

  it.each([
    '<Unknown/>',
    'text',
    '<LocationConstraint>a</LocationConstraint><LocationConstraint>b</LocationConstraint>',
    '<LocationConstraint><Region>a</Region></LocationConstraint>',
  ])('is malformed with %s', (content) => {
    expect(() => read(content)).toThrow(failing('MalformedXML'));
  });
});

describe('Delete', () => {
  const read = (content: string) => readDelete(bytes(`<Delete>${content}</Delete>`));
  const objects = (count: number) => '<Object><Key>k</Key></Object>'.repeat(count);

  it('reads keys as they are, and everything that may come with one', () => {
    const content = `<Quiet>true</Quiet>
      <Object><Key> a&amp;b </Key></Object>
      <Object><Key>c</Key><VersionId>null</VersionId><ETag>&quot;e&quot;</ETag></Object>
      <Object><Size>3</Size><Key>d</Key></Object>`;
    expect(read(content)).toEqual({
      isQuiet: true,
      objects: [
        { key: ' a&b ', versionId: null, etag: null, lastModified: null, size: null },
        { key: 'c', versionId: 'null', etag: 'e', lastModified: null, size: null },
        { key: 'd', versionId: null, etag: null, lastModified: null, size: '3' },
      ],
    });
  });

  it('counts to a thousand', () => {
    expect(read(objects(1000)).objects).toHaveLength(1000);
    expect(() => read(objects(1001))).toThrow(failing('MalformedXML'));
    expect(() => read('')).toThrow(failing('MalformedXML'));
    expect(() => read('<Quiet>true</Quiet>')).toThrow(failing('MalformedXML'));
  });

  it.each([
    ['True', true],
    ['false', false],
    [' true ', true],
  ])('Quiet %j', (text, isQuiet) => {
    expect(read(`<Quiet>${text}</Quiet>${objects(1)}`).isQuiet).toBe(isQuiet);
  });

  it.each([
    `<Quiet>yes</Quiet>${objects(1)}`,
    `<Quiet>true</Quiet><Quiet>true</Quiet>${objects(1)}`,
    '<Object></Object>',
    '<Object><VersionId>null</VersionId></Object>',
    '<Object><Key>a</Key><Key>b</Key></Object>',
    '<Object><Key><Name>a</Name></Key></Object>',
    '<Object>a</Object>',
    `<object><Key>a</Key></object>`,
    `<Constructor/>${objects(1)}`,
  ])('is malformed with %s', (content) => {
    expect(() => read(content)).toThrow(failing('MalformedXML'));
  });
});

describe('CompleteMultipartUpload', () => {
  const read = (content: string) =>
    readCompleteMultipartUpload(
      bytes(`<CompleteMultipartUpload>${content}</CompleteMultipartUpload>`),
    );
  const part = (content: string) => `<Part>${content}</Part>`;

  it('reads parts in the order sent, tags with and without quotes', () => {
    const content =
      part('<PartNumber>2</PartNumber><ETag>"ab"</ETag>') +
      part('<ETag>cd</ETag><PartNumber> 1 </PartNumber><ChecksumCRC32> AAAAAA== </ChecksumCRC32>');
    expect(read(content)).toEqual([
      { partNumber: 2, etag: 'ab', checksum: null },
      { partNumber: 1, etag: 'cd', checksum: { algorithm: 'CRC32', value: 'AAAAAA==' } },
    ]);
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'])('knows Checksum%s', (algorithm) => {
    const [read1] = read(
      part(
        `<PartNumber>1</PartNumber><ETag>e</ETag><Checksum${algorithm}>v</Checksum${algorithm}>`,
      ),
    );
    expect(read1?.checksum).toEqual({ algorithm, value: 'v' });
  });

  it('refuses a checksum of S3 that we do not compute', () => {
    const content = part(
      '<PartNumber>1</PartNumber><ETag>e</ETag><ChecksumXXHASH64>v</ChecksumXXHASH64>',
    );
    expect(() => read(content)).toThrow(failing('NotImplemented'));
  });

  it('takes 10,000 parts and not one more', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) =>
        part(`<PartNumber>${i + 1}</PartNumber><ETag>e</ETag>`),
      ).join('');
    expect(read(many(10_000)).at(-1)).toEqual({ partNumber: 10_000, etag: 'e', checksum: null });
    expect(() => read(many(10_001))).toThrow(failing('MalformedXML'));
  });

  it.each([
    '',
    part(''),
    part('<PartNumber>1</PartNumber>'),
    part('<ETag>e</ETag>'),
    part('<PartNumber>one</PartNumber><ETag>e</ETag>'),
    part('<PartNumber>-1</PartNumber><ETag>e</ETag>'),
    part('<PartNumber>1.0</PartNumber><ETag>e</ETag>'),
    part('<PartNumber>1e3</PartNumber><ETag>e</ETag>'),
    part('<PartNumber>1</PartNumber><ETag>e</ETag><Size>1</Size>'),
    part(
      '<PartNumber>1</PartNumber><ETag>e</ETag><ChecksumCRC32>a</ChecksumCRC32>' +
        '<ChecksumSHA1>b</ChecksumSHA1>',
    ),
  ])('is malformed with %j', (content) => {
    expect(() => read(content)).toThrow(failing('MalformedXML'));
  });
});

describe('NotificationConfiguration', () => {
  const queue = '<Queue>arn:quayside:webhook:::wh_0123456789</Queue>';
  const read = (content: string) => {
    const rules = `<QueueConfiguration>${content}</QueueConfiguration>`;
    return readNotificationConfiguration(
      bytes(`<NotificationConfiguration>${rules}</NotificationConfiguration>`),
      () => 'made',
    );
  };

  it('is of rules that name their events', () => {
    const [rule] = read(`${queue}<Event>s3:ObjectCreated:*</Event>`);
    expect(rule).toMatchObject({ id: 'made', events: ['s3:ObjectCreated:*'] });
  });

  it.each([queue, `${queue}<Id>a</Id>`, '<Event>s3:ObjectCreated:*</Event>'])(
    'is malformed with %s',
    (content) => {
      expect(() => read(content)).toThrow(failing('MalformedXML'));
    },
  );
});
