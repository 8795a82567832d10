// What the S3 surface says about encryption: which headers it takes, refuses and echoes, and with
// which errors.
import { beforeAll, describe, expect, it } from 'vitest';
import { isConfidential, type KeysOverHttp } from '../../../../src/http/s3/call/call.ts';
import { codeOf, contentMd5 } from '../kit/responses.ts';
import { createTestSurface, type Reply, type Sent } from '../kit/surface.ts';

const surface = createTestSurface();
const { send } = surface;
const B = '/crypt-bucket';
const SSE = 'x-amz-server-side-encryption';

function keyHeaders(fill: number, prefix = ''): Record<string, string> {
  const key = new Uint8Array(32).fill(fill);
  return {
    [`x-amz-${prefix}server-side-encryption-customer-algorithm`]: 'AES256',
    [`x-amz-${prefix}server-side-encryption-customer-key`]: Buffer.from(key).toString('base64'),
    [`x-amz-${prefix}server-side-encryption-customer-key-MD5`]: contentMd5(key),
  };
}
const MINE = keyHeaders(1);
const encryptionOf = ({ headers }: Reply) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(SSE)));
const put = (path: string, headers: Record<string, string>, body = 'x') =>
  send({ method: 'PUT', path: `${B}/${path}`, headers, body });
async function ok(sent: Sent): Promise<Reply> {
  const reply = await send(sent);
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply;
}

beforeAll(async () => {
  await ok({ method: 'PUT', path: B });
  expect((await put('mine', MINE, 'secret')).status).toBe(200);
  expect((await put('server', { [SSE]: 'AES256' }, 'secret')).status).toBe(200);
  expect((await put('plain', {}, 'open')).status).toBe(200);
});

describe('headers of a write', () => {
  const [ALGORITHM, KEY, MD5] = ['algorithm', 'key', 'key-MD5'].map(
    (name) => `${SSE}-customer-${name}`,
  ) as [string, string, string];
  const without = (name: string) =>
    Object.fromEntries(Object.entries(MINE).filter(([header]) => header !== name));
  const short = new Uint8Array(16);

  it.each([
    ['another algorithm', { ...MINE, [ALGORITHM]: 'AES128' }, 'InvalidEncryptionAlgorithmError'],
    ['no algorithm', without(ALGORITHM), 'InvalidArgument'],
    ['no key', without(KEY), 'InvalidArgument'],
    ['no MD5', without(MD5), 'InvalidArgument'],
    ['a wrong MD5', { ...MINE, [MD5]: 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'InvalidArgument'],
    ['a key that is no base64', { ...MINE, [KEY]: '!' }, 'InvalidArgument'],
    [
      'a short key',
      { ...MINE, [KEY]: Buffer.from(short).toString('base64'), [MD5]: contentMd5(short) },
      'InvalidArgument',
    ],
    ['SSE-C and SSE-S3', { ...MINE, [SSE]: 'AES256' }, 'InvalidArgument'],
    [
      'SSE-C and a KMS key',
      { ...MINE, [`${SSE}-aws-kms-key-id`]: 'seeded-key' },
      'InvalidArgument',
    ],
    ['an unknown method', { [SSE]: 'aes:kms' }, 'InvalidArgument'],
    [
      'a KMS key for SSE-S3',
      { [SSE]: 'AES256', [`${SSE}-aws-kms-key-id`]: 'seeded-key' },
      'InvalidArgument',
    ],
    ['a KMS key alone', { [`${SSE}-aws-kms-key-id`]: 'seeded-key' }, 'InvalidArgument'],
    ['a context alone', { [`${SSE}-context`]: 'e30=' }, 'InvalidArgument'],
    [
      'a context that is no JSON',
      { [SSE]: 'aws:kms', [`${SSE}-context`]: 'eHg=' },
      'InvalidArgument',
    ],
    [
      'a context with a line break',
      { [SSE]: 'aws:kms', [`${SSE}-context`]: 'eyJhIjoiMSJ9\n' },
      'InvalidArgument',
    ],
    [
      'a context of numbers',
      { [SSE]: 'aws:kms', [`${SSE}-context`]: 'eyJhIjoxfQ==' },
      'InvalidArgument',
    ],
    [
      'a bucket key that is no truth',
      { [SSE]: 'aws:kms', [`${SSE}-bucket-key-enabled`]: '1' },
      'InvalidArgument',
    ],
    [
      'a key id that can be none',
      { [SSE]: 'aws:kms', [`${SSE}-aws-kms-key-id`]: 'a key' },
      'InvalidArgument',
    ],
    [
      'a key that nobody made',
      { [SSE]: 'aws:kms', [`${SSE}-aws-kms-key-id`]: 'unknown' },
      'KMS.NotFoundException',
    ],
  ])('are refused with %s, and nothing is stored', async (_, headers, code) => {
    expect(codeOf(await put('refused', headers))).toEqual([400, code]);
    expect((await send({ path: `${B}/refused`, ...{ method: 'HEAD' } })).status).toBe(404);
    expect(
      codeOf(await send({ method: 'POST', path: `${B}/refused`, query: { uploads: '' }, headers })),
    ).toEqual([400, code]);
    const copy = { 'x-amz-copy-source': `${B}/plain`, ...headers };
    expect(codeOf(await send({ method: 'PUT', path: `${B}/refused`, headers: copy }))).toEqual([
      400,
      code,
    ]);
  });

  it('say in the error nothing of the key', async () => {
    const { text } = await put('refused', { ...MINE, [MD5]: 'AAAAAAAAAAAAAAAAAAAAAA==' });
    expect(text).not.toContain(MINE[KEY] ?? '');
    expect(text).not.toContain(MINE[MD5] ?? '');
  });

  it('are echoed by the write and by reads, as S3 does', async () => {
    const kms = {
      [SSE]: 'aws:kms',
      [`${SSE}-aws-kms-key-id`]: 'seeded-key',
      [`${SSE}-bucket-key-enabled`]: 'true',
    };
    const context = { [`${SSE}-context`]: 'eyJhIjoiMSJ9' };
    expect(encryptionOf(await put('named', { ...kms, ...context }, 'secret'))).toEqual({
      ...kms,
      ...context,
    });
    expect(encryptionOf(await ok({ path: `${B}/named` }))).toEqual(kms);
    const doubled = { [SSE]: 'aws:kms:dsse', [`${SSE}-aws-kms-key-id`]: 'alias/aws/s3' };
    expect(encryptionOf(await put('doubled', { [SSE]: 'aws:kms:dsse' }, 'secret'))).toEqual(
      doubled,
    );
    expect((await ok({ path: `${B}/doubled` })).text).toBe('secret');
    expect(encryptionOf(await ok({ method: 'HEAD', path: `${B}/server` }))).toEqual({
      [SSE]: 'AES256',
    });
    const { [KEY]: _, ...shown } = MINE;
    const echoed = Object.fromEntries(
      Object.entries(shown).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(encryptionOf(await put('own', MINE, 'secret'))).toEqual(echoed);
    for (const method of ['GET', 'HEAD']) {
      expect(encryptionOf(await ok({ method, path: `${B}/own`, headers: MINE }))).toEqual(echoed);
    }
  });
});

describe('reads', () => {
  it.each([
    ['without the key', 'mine', {}, 'InvalidRequest'],
    ['with another key', 'mine', keyHeaders(2), 'InvalidRequest'],
    ['with a key for nothing', 'plain', MINE, 'InvalidRequest'],
    ['with a key for the server’s', 'server', MINE, 'InvalidRequest'],
    ['that name the encryption', 'server', { [SSE]: 'AES256' }, 'InvalidArgument'],
    ['that name a key', 'server', { [`${SSE}-aws-kms-key-id`]: 'k' }, 'InvalidArgument'],
  ])('%s are refused', async (_, name, headers, code) => {
    expect(codeOf(await send({ path: `${B}/${name}`, headers }))).toEqual([400, code]);
    expect((await send({ method: 'HEAD', path: `${B}/${name}`, headers })).status).toBe(400);
    const attributes = { 'x-amz-object-attributes': 'ETag', ...headers };
    const reply = await send({
      path: `${B}/${name}`,
      query: { attributes: '' },
      headers: attributes,
    });
    expect(codeOf(reply)).toEqual([400, code]);
  });

  it('without the key learn nothing by a condition', async () => {
    const { headers } = await ok({ method: 'HEAD', path: `${B}/mine`, headers: MINE });
    const reply = await send({
      path: `${B}/mine`,
      headers: { 'if-none-match': headers.etag ?? '' },
    });
    expect(codeOf(reply)).toEqual([400, 'InvalidRequest']);
  });

  it('of an empty object need the key as well', async () => {
    await ok({ method: 'PUT', path: `${B}/empty`, headers: MINE });
    expect((await send({ method: 'HEAD', path: `${B}/empty` })).status).toBe(400);
    expect((await ok({ path: `${B}/empty`, headers: MINE })).text).toBe('');
  });
});

describe('a copy', () => {
  it('onto itself may change the encryption', async () => {
    await put('again', {}, 'text');
    const onto = (headers: Record<string, string>) =>
      send({
        method: 'PUT',
        path: `${B}/again`,
        headers: { 'x-amz-copy-source': `${B}/again`, ...headers },
      });
    expect(codeOf(await onto({}))).toEqual([400, 'InvalidRequest']);
    expect(encryptionOf(await onto({ [SSE]: 'AES256' }))).toEqual({ [SSE]: 'AES256' });
    expect((await onto(MINE)).status).toBe(200);
    expect((await ok({ path: `${B}/again`, headers: MINE })).text).toBe('text');
    expect((await onto({ ...keyHeaders(3), ...keyHeaders(1, 'copy-source-') })).status).toBe(200);
    expect((await ok({ path: `${B}/again`, headers: keyHeaders(3) })).text).toBe('text');
  });

  it('onto itself may end the encryption, with a word about it or without', async () => {
    const onto = (key: string, headers: Record<string, string> = {}) =>
      send({
        method: 'PUT',
        path: `${B}/${key}`,
        headers: { 'x-amz-copy-source': `${B}/${key}`, ...headers },
      });
    await put('ended', MINE, 'text');
    expect(encryptionOf(await onto('ended', keyHeaders(1, 'copy-source-')))).toEqual({});
    expect((await ok({ path: `${B}/ended` })).text).toBe('text');
    await put('ended', { [SSE]: 'AES256' }, 'text');
    expect((await onto('ended')).status).toBe(200);
    expect(encryptionOf(await ok({ path: `${B}/ended` }))).toEqual({});
    expect(codeOf(await onto('ended'))).toEqual([400, 'InvalidRequest']);
    await put('ended', MINE, 'text');
    expect(codeOf(await onto('ended', keyHeaders(3, 'copy-source-')))).toEqual([
      400,
      'InvalidRequest',
    ]);
  });
});

describe('the default of a bucket', () => {
  const D = '/default-bucket';
  const document = (rule: string) =>
    `<ServerSideEncryptionConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
    `<Rule>${rule}</Rule></ServerSideEncryptionConfiguration>`;
  const standard = (content: string) =>
    `<ApplyServerSideEncryptionByDefault>${content}</ApplyServerSideEncryptionByDefault>`;
  const configure = (rule: string) =>
    send({ method: 'PUT', path: D, query: { encryption: '' }, body: document(rule) });

  beforeAll(() => ok({ method: 'PUT', path: D }));

  it.each([
    ['', ''],
    ['<BucketKeyEnabled>false</BucketKeyEnabled>', '<BucketKeyEnabled>false</BucketKeyEnabled>'],
    ['<BucketKeyEnabled>true</BucketKeyEnabled>', '<BucketKeyEnabled>true</BucketKeyEnabled>'],
  ])('says of bucket keys what was put: %j', async (set, shown) => {
    expect((await configure(standard('<SSEAlgorithm>AES256</SSEAlgorithm>') + set)).status).toBe(
      200,
    );
    const { text } = await ok({ path: D, query: { encryption: '' } });
    expect(/<BucketKeyEnabled>.*<\/BucketKeyEnabled>/.exec(text)?.[0] ?? '').toBe(shown);
    await ok({ method: 'DELETE', path: D, query: { encryption: '' } });
  });

  it('is none, until one is put, and none again after it is deleted', async () => {
    const missing = [404, 'ServerSideEncryptionConfigurationNotFoundError'];
    expect(codeOf(await send({ path: D, query: { encryption: '' } }))).toEqual(missing);
    expect((await configure(standard('<SSEAlgorithm>AES256</SSEAlgorithm>'))).status).toBe(200);
    expect((await ok({ path: D, query: { encryption: '' } })).text).toContain(
      `<Rule>${standard('<SSEAlgorithm>AES256</SSEAlgorithm>')}</Rule>`,
    );
    for (const _ of [1, 2])
      expect((await send({ method: 'DELETE', path: D, query: { encryption: '' } })).status).toBe(
        204,
      );
    expect(codeOf(await send({ path: D, query: { encryption: '' } }))).toEqual(missing);
  });

  it('holds for puts, copies and uploads that say nothing, and for no others', async () => {
    const kms = '<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>seeded-key</KMSMasterKeyID>';
    const rule = `${standard(kms)}<BucketKeyEnabled>true</BucketKeyEnabled>`;
    expect((await configure(rule)).status).toBe(200);
    expect((await ok({ path: D, query: { encryption: '' } })).text).toContain(
      `<Rule>${rule}</Rule>`,
    );
    const wanted = {
      [SSE]: 'aws:kms',
      [`${SSE}-aws-kms-key-id`]: 'seeded-key',
      [`${SSE}-bucket-key-enabled`]: 'true',
    };
    expect(encryptionOf(await ok({ method: 'PUT', path: `${D}/a`, body: 'x' }))).toEqual(wanted);
    const copy = { 'x-amz-copy-source': `${B}/plain` };
    expect(encryptionOf(await ok({ method: 'PUT', path: `${D}/b`, headers: copy }))).toEqual(
      wanted,
    );
    expect(
      encryptionOf(await ok({ method: 'POST', path: `${D}/c`, query: { uploads: '' } })),
    ).toEqual(wanted);
    const asked = await ok({
      method: 'PUT',
      path: `${D}/d`,
      headers: { [SSE]: 'AES256' },
      body: 'x',
    });
    expect(encryptionOf(asked)).toEqual({ [SSE]: 'AES256' });
  });

  it('may refuse keys of clients, for writes alone', async () => {
    await ok({ method: 'PUT', path: `${D}/own`, headers: MINE, body: 'x' });
    const blocked =
      '<BlockedEncryptionTypes><EncryptionType>SSE-C</EncryptionType></BlockedEncryptionTypes>';
    expect((await configure(blocked)).status).toBe(200);
    expect((await ok({ path: D, query: { encryption: '' } })).text).toContain(blocked);
    expect(
      codeOf(await send({ method: 'PUT', path: `${D}/own`, headers: MINE, body: 'y' })),
    ).toEqual([403, 'AccessDenied']);
    expect((await ok({ path: `${D}/own`, headers: MINE })).text).toBe('x');
    const none =
      '<BlockedEncryptionTypes><EncryptionType>NONE</EncryptionType></BlockedEncryptionTypes>';
    expect((await configure(none)).status).toBe(200);
    await ok({ method: 'PUT', path: `${D}/own`, headers: MINE, body: 'y' });
  });

  it.each([
    ['an unknown algorithm', standard('<SSEAlgorithm>ROT13</SSEAlgorithm>'), 'MalformedXML'],
    ['no algorithm', standard(''), 'MalformedXML'],
    [
      'a key for AES256',
      standard('<SSEAlgorithm>AES256</SSEAlgorithm><KMSMasterKeyID>k</KMSMasterKeyID>'),
      'InvalidArgument',
    ],
    [
      'a key that can be none',
      standard('<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>a b</KMSMasterKeyID>'),
      'InvalidArgument',
    ],
    ['a flag that is none', '<BucketKeyEnabled>yes</BucketKeyEnabled>', 'MalformedXML'],
    [
      'an unknown type to block',
      '<BlockedEncryptionTypes><EncryptionType>X</EncryptionType></BlockedEncryptionTypes>',
      'MalformedXML',
    ],
    ['two rules', '</Rule><Rule>', 'MalformedXML'],
    ['an unknown element', '<Foo>1</Foo>', 'MalformedXML'],
  ])('is refused with %s', async (_, rule, code) => {
    expect(codeOf(await configure(rule))).toEqual([400, code]);
  });
});

describe('KMS keys', () => {
  it('are for the root account alone', async () => {
    const query = { 'x-quayside-kms-keys': '' };
    expect(codeOf(await send({ path: '/', query }))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await send({ method: 'POST', path: '/', query, body: '{"id":"k"}' }))).toEqual([
      403,
      'AccessDenied',
    ]);
    expect(codeOf(await send({ path: '/', query, as: 'nobody' }))).toEqual([403, 'AccessDenied']);
  });
});

describe('plain http', () => {
  it.each<[boolean | undefined, KeysOverHttp, boolean]>([
    [true, 'loopback', true],
    [false, 'loopback', false],
    // A platform that can't tell.
    [undefined, 'loopback', false],
    [false, 'always', true],
    [true, 'never', false],
  ])(
    'from this machine: %s, with the setting %s, carries keys: %s',
    (isLocal, setting, expected) => {
      const isFromLoopback = isLocal === undefined ? {} : { isFromLoopback: () => isLocal };
      expect(isConfidential({ isSecure: false, ...isFromLoopback }, setting)).toBe(expected);
      expect(isConfidential({ isSecure: true, ...isFromLoopback }, setting)).toBe(true);
    },
  );
});
