// What documents and parameters of requests must not say: each line is a request that is refused
// with its own code before anything is stored, and beside it one that is taken and differs in that
// alone.
import { beforeAll, describe, expect } from 'vitest';
import { testLines } from './kit/refusals.ts';
import { createTestSurface, type Sent } from './kit/surface.ts';

const surface = createTestSurface();
const { send } = surface;
const BUCKET = '/bucket';

const put = (name: string): Partial<Sent> => ({ method: 'PUT', query: { [name]: '' } });
const body = (text: string) => ({ body: text });

beforeAll(async () => {
  const encrypted = { 'x-amz-server-side-encryption': 'AES256' };
  for (const path of [BUCKET, '/plain'])
    expect((await send({ method: 'PUT', path })).status).toBe(200);
  await send({ method: 'PUT', path: `${BUCKET}/secret`, headers: encrypted, body: 'x' });
});

describe('a purge', () => {
  const purge = (json: unknown) => body(JSON.stringify(json));
  const texts = (length: number) => Array.from({ length }, (_, at) => `k${at}`);

  testLines(surface, BUCKET, { method: 'POST', query: { purge: '' } }, [
    [
      'may name keys, prefixes and tags',
      purge({ keys: ['a'], prefixes: ['b'], tags: ['c'] }),
      '200',
    ],
    ['may name everything', purge({ everything: true }), '200'],
    ['must be JSON', body('{'), 'InvalidRequest: The purge must be JSON'],
    ['must be an object', purge([]), 'InvalidRequest: The purge must be an object'],
    ['may not be null', purge(null), 'InvalidRequest: The purge must be an object'],
    ['may not be a text', purge('a'), 'InvalidRequest: The purge must be an object'],
    [
      'may not name everything by a text',
      purge({ everything: 'yes' }),
      'InvalidRequest: must be true or false',
    ],
    ['may not name nothing', purge({ keys: [] }), 'InvalidRequest: The purge names nothing'],
    [
      'may not name everything as false alone',
      purge({ everything: false }),
      'InvalidRequest: names nothing',
    ],
    [
      'may name nothing else',
      purge({ hosts: ['a'] }),
      'InvalidRequest: hosts is nothing that can be purged',
    ],
    [
      'may name no member of all objects',
      purge({ toString: ['a'] }),
      'InvalidRequest: nothing that can be purged',
    ],
    [
      'may not name an empty key',
      purge({ keys: [''] }),
      'InvalidRequest: keys must be a list of texts',
    ],
    ['may not name a number', purge({ keys: [1] }), 'InvalidRequest: keys must be a list of texts'],
    [
      'may not name a text in place of a list',
      purge({ tags: 'abc' }),
      'InvalidRequest: tags must be a list',
    ],
    ['may name a key of 1024 bytes', purge({ keys: ['k'.repeat(1024)] }), '200'],
    [
      'may name no longer key',
      purge({ keys: ['k'.repeat(1025)] }),
      'InvalidRequest: keys must be a list of texts',
    ],
    [
      'may not name a key of more bytes than letters',
      purge({ keys: ['ä'.repeat(513)] }),
      'InvalidRequest: of texts',
    ],
    ['may name 100 things', purge({ keys: texts(60), prefixes: texts(40) }), '200'],
    [
      'may name no more',
      purge({ keys: texts(60), prefixes: texts(41) }),
      'InvalidRequest: names at most 100 things',
    ],
  ]);
});

describe('a versioning configuration', () => {
  const of = (inner: string) => body(`<VersioningConfiguration>${inner}</VersioningConfiguration>`);

  testLines(surface, '/plain', put('versioning'), [
    ['may enable', of('<Status>Enabled</Status>'), '200'],
    ['may suspend', of('<Status>Suspended</Status><MfaDelete>Disabled</MfaDelete>'), '200'],
    ['may do nothing else', of('<Status>Off</Status>'), 'MalformedXML: Enabled or Suspended'],
    ['must do something', of(''), 'MalformedXML: Status'],
    [
      'may not ask for MFA delete',
      of('<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>'),
      'NotImplemented',
    ],
    [
      'may not come with a device',
      { ...of('<Status>Enabled</Status>'), headers: { 'x-amz-mfa': 'serial 123456' } },
      'NotImplemented: MFA',
    ],
  ]);
});

describe('a list of versions', () => {
  testLines(surface, '/plain', { method: 'GET' }, [
    ['may begin behind a key', { query: { versions: '', 'key-marker': 'a' } }, '200'],
    [
      'may begin behind a version of a key',
      { query: { versions: '', 'key-marker': 'a', 'version-id-marker': 'null' } },
      '200',
    ],
    [
      'may not begin behind a version of no key',
      { query: { versions: '', 'version-id-marker': 'null' } },
      'InvalidArgument: cannot be specified without a key marker',
    ],
    ['may have no rows', { query: { versions: '', 'max-keys': '0' } }, '200'],
    ['may not have less', { query: { versions: '', 'max-keys': '-1' } }, 'InvalidArgument'],
  ]);
});

describe('a payer', () => {
  const payer = (name: string) =>
    body(`<RequestPaymentConfiguration><Payer>${name}</Payer></RequestPaymentConfiguration>`);

  testLines(surface, '/plain', put('requestPayment'), [
    ['may be the requester', payer('Requester'), '200'],
    ['may be the owner', payer('BucketOwner'), '200'],
    ['may be nobody else', payer('Somebody'), 'MalformedXML: Requester or BucketOwner'],
    ['must be named', payer(''), 'MalformedXML'],
  ]);
});

describe('default encryption', () => {
  const blocked = (...types: string[]) =>
    body(
      '<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>' +
        '<SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault>' +
        '<BlockedEncryptionTypes>' +
        types.map((type) => `<EncryptionType>${type}</EncryptionType>`).join('') +
        '</BlockedEncryptionTypes></Rule></ServerSideEncryptionConfiguration>',
    );

  testLines(surface, '/plain', put('encryption'), [
    ['may block keys of clients', blocked('SSE-C'), '200'],
    ['may block nothing', blocked('NONE'), '200'],
    ['may not block both', blocked('NONE', 'SSE-C'), 'MalformedXML: NONE must stand alone'],
    ['may not block anything else', blocked('SSE-X'), 'MalformedXML: SSE-C or NONE'],
  ]);
});

describe('a rule of lifecycle', () => {
  const rule = (inner: string, prefix = '<Filter><Prefix>p</Prefix></Filter>') =>
    body(
      `<LifecycleConfiguration><Rule><ID>r</ID>${prefix}<Status>Enabled</Status>${inner}</Rule>` +
        '</LifecycleConfiguration>',
    );
  const DAY = '<Expiration><Days>1</Days></Expiration>';
  const marker = (flag: string) =>
    rule(`<Expiration><ExpiredObjectDeleteMarker>${flag}</ExpiredObjectDeleteMarker></Expiration>`);
  const move = (inner: string) =>
    rule(`<Transition>${inner}<StorageClass>STANDARD_IA</StorageClass></Transition>`);
  const larger = (size: string) =>
    rule(DAY, `<Filter><ObjectSizeGreaterThan>${size}</ObjectSizeGreaterThan></Filter>`);
  const DATE = '<Date>2030-01-01</Date>';

  testLines(surface, '/plain', put('lifecycle'), [
    ['may end objects', rule(DAY), '200'],
    ['may end lone markers', marker('true'), '200'],
    ['may leave lone markers', marker('false'), '200'],
    ['may do nothing else to markers', marker('maybe'), 'MalformedXML: true or false'],
    ['may move objects after days', move('<Days>30</Days>'), '200'],
    ['may move objects at a date', move(DATE), '200'],
    ['must say when it moves', move(''), 'MalformedXML: one of Days and Date'],
    ['may not say it twice', move(`<Days>30</Days>${DATE}`), 'MalformedXML: one of Days and Date'],
    [
      'may not move before they are there',
      move('<Days>-1</Days>'),
      "InvalidArgument: 'Days' for Transition action must be nonnegative",
    ],
    ['may look at sizes of objects', larger('1099511627776'), '200'],
    [
      'may look at no size beyond',
      larger('99511627776000000'),
      'MalformedXML: a size of an object',
    ],
    ['may look at no text', larger('big'), 'MalformedXML: a size of an object'],
    [
      'may not move to another class after it ends',
      rule(
        '<Expiration><Days>30</Days></Expiration>' +
          '<Transition><Days>30</Days><StorageClass>STANDARD_IA</StorageClass></Transition>',
      ),
      'InvalidArgument',
    ],
  ]);
});

describe('the key of an object', () => {
  const kms = (inner: string) =>
    body(`<ObjectEncryption><SSE-KMS>${inner}</SSE-KMS></ObjectEncryption>`);
  const key = (name: string) => `<KMSKeyArn>${name}</KMSKeyArn>`;
  const bucketKey = (flag: string) =>
    kms(`${key('seeded-key')}<BucketKeyEnabled>${flag}</BucketKeyEnabled>`);

  testLines(surface, `${BUCKET}/secret`, put('encryption'), [
    [
      'must be of KMS',
      body('<ObjectEncryption/>'),
      'InvalidRequest: require a valid new encryption type',
    ],
    ['must be named', kms(''), 'InvalidRequest: require a valid KMS key'],
    ['must have a name', kms(key('a b')), 'InvalidRequest: require a valid KMS key'],
    ['must be there', kms(key('unknown-key')), 'KMS.NotFoundException'],
    [
      'must say of buckets yes or no',
      bucketKey('maybe'),
      "InvalidRequest: BucketKeyEnabled value isn't valid",
    ],
    ['may say yes', bucketKey('TRUE'), '200'],
  ]);
});

describe('a condition of a delete', () => {
  const dated = (date: string) => ({ headers: { 'x-amz-if-match-last-modified-time': date } });
  const sized = (size: string) => ({ headers: { 'x-amz-if-match-size': size } });

  testLines(surface, `${BUCKET}/nothing`, { method: 'DELETE' }, [
    ['may be a date', dated('Fri, 24 May 2013 00:00:00 GMT'), 'NoSuchKey'],
    ['may be a time', dated('2013-05-24T00:00:00Z'), 'NoSuchKey'],
    ['may not be another text', dated('yesterday'), 'InvalidArgument: The time is not valid'],
    ['may be a size', sized('1'), 'NoSuchKey'],
    [
      'may not be a size of another kind',
      sized('1e3'),
      'InvalidArgument: The size is not a number',
    ],
    ['may not be too long a size', sized('1'.repeat(16)), 'InvalidArgument: The size is not'],
  ]);
});

describe('a part', () => {
  const part = (partNumber: string) => ({ query: { partNumber, uploadId: 'upload' }, body: 'x' });

  testLines(surface, `${BUCKET}/parts`, { method: 'PUT' }, [
    ['may have the number 1', part('1'), 'NoSuchUpload'],
    ['may have the number 10000', part('10000'), 'NoSuchUpload'],
    ['may not have the number 0', part('0'), 'InvalidArgument: Part number must be an integer'],
    ['may not have the number 10001', part('10001'), 'InvalidArgument: Part number must be'],
    ['must have a number', part(''), 'InvalidArgument'],
  ]);
});
