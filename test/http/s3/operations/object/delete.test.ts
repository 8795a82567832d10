import { beforeEach, describe, expect, it } from 'vitest';
import { DELETE_MAX_BYTES } from '../../../../../src/core/limits.ts';
import { checksumOf } from '../../../../../src/crypto/digest-set.ts';
import { codeOf, contentMd5, one } from '../../kit/responses.ts';
import { frameUnsigned } from '../../kit/sign-for-test.ts';
import { createTestSurface } from '../../kit/surface.ts';

let surface = createTestSurface();
const has = async (key: string) =>
  (await surface.send({ method: 'HEAD', path: `/ddd/${key}` })).status === 200;

beforeEach(async () => {
  surface = createTestSurface();
  await surface.send({ method: 'PUT', path: '/ddd' });
  for (const key of ['a', 'b', 'c'])
    await surface.send({ method: 'PUT', path: `/ddd/${key}`, body: key });
});

describe('DeleteObject', () => {
  const remove = (
    key: string,
    headers: Record<string, string> = {},
    query: Record<string, string> = {},
  ) => surface.send({ method: 'DELETE', path: `/ddd/${key}`, headers, query });

  it('succeeds whether the key is there or not', async () => {
    for (const key of ['a', 'a', 'never']) {
      const reply = await remove(key);
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(reply.headers).not.toHaveProperty('x-amz-version-id');
    }
    expect(await has('a')).toBe(false);
  });

  it('deletes the version null, and refuses ids that are none', async () => {
    expect((await remove('a', {}, { versionId: 'null' })).headers['x-amz-version-id']).toBe('null');
    expect(codeOf(await remove('b', {}, { versionId: 'abc' }))).toEqual([400, 'InvalidArgument']);
    expect(codeOf(await remove('b', {}, { versionId: '' }))).toEqual([400, 'InvalidArgument']);
    expect([await has('a'), await has('b')]).toEqual([false, true]);
  });

  it('deletes only what If-Match names', async () => {
    const etag = (await surface.send({ method: 'HEAD', path: '/ddd/a' })).headers.etag ?? '';
    expect(codeOf(await remove('a', { 'if-match': '"x"' }))).toEqual([412, 'PreconditionFailed']);
    expect(await has('a')).toBe(true);
    expect((await remove('a', { 'if-match': etag })).status).toBe(204);
    expect(await has('a')).toBe(false);
    expect((await remove('b', { 'if-match': '*' })).status).toBe(204);
  });

  it('of a key without an object fails with any conditional header', async () => {
    const conditions = [
      { 'if-match': '*' },
      { 'if-match': '"x"' },
      { 'x-amz-if-match-size': '1' },
      { 'x-amz-if-match-last-modified-time': 'Fri, 24 May 2013 00:00:00 GMT' },
    ];
    for (const condition of conditions) {
      expect(codeOf(await remove('never', condition))).toEqual([404, 'NoSuchKey']);
    }
    const versioning =
      '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await surface.send({
      method: 'PUT',
      path: '/ddd',
      query: { versioning: '' },
      body: versioning,
    });
    const marker = (await remove('a')).headers['x-amz-version-id'] ?? '';
    for (const condition of conditions) {
      expect(codeOf(await remove('a', condition))).toEqual([404, 'NoSuchKey']);
      expect(codeOf(await remove('never', condition))).toEqual([404, 'NoSuchKey']);
      expect(codeOf(await remove('a', condition, { versionId: marker }))).toEqual([
        404,
        'NoSuchKey',
      ]);
      expect(codeOf(await remove('c', condition, { versionId: marker }))).toEqual([
        404,
        'NoSuchVersion',
      ]);
    }
    const { text } = await surface.send({ path: '/ddd', query: { versions: '' } });
    expect(text.match(/<DeleteMarker>/g)).toHaveLength(1);
  });

  it('is the owner’s alone', async () => {
    for (const as of ['stranger', 'nobody'] as const) {
      expect(codeOf(await surface.send({ method: 'DELETE', path: '/ddd/a', as }))).toEqual([
        403,
        'AccessDenied',
      ]);
    }
    expect(await has('a')).toBe(true);
  });

  it('makes a marker that is its caller’s, in a bucket of another', async () => {
    const put = (query: string, body: string) =>
      surface.send({ method: 'PUT', path: '/ddd', query: { [query]: '' }, body });
    await put(
      'versioning',
      '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    );
    const anybody = { Effect: 'Allow', Principal: '*', Action: 's3:DeleteObject' };
    const statement = { ...anybody, Resource: 'arn:aws:s3:::ddd/*' };
    await put('policy', JSON.stringify({ Version: '2012-10-17', Statement: [statement] }));
    for (const as of ['stranger', 'owner'] as const)
      expect((await surface.send({ method: 'DELETE', path: `/ddd/${as}`, as })).status).toBe(204);
    const { text } = await surface.send({ path: '/ddd', query: { versions: '', prefix: '' } });
    const markers = text.split('<DeleteMarker>').slice(1);
    const ownerOf = (key: string) =>
      one(markers.find((marker) => one(marker, 'Key') === key) ?? '', 'ID');
    expect(ownerOf('owner')).toMatch(/./);
    expect(ownerOf('stranger')).toMatch(/./);
    expect(ownerOf('stranger')).not.toBe(ownerOf('owner'));
  });
});

describe('DeleteObjects', () => {
  const post = (body: string | Uint8Array, headers: Record<string, string>) =>
    surface.send({ method: 'POST', path: '/ddd', query: { delete: '' }, body, headers });
  const remove = (content: string, headers: Record<string, string> = {}) => {
    const body = `<Delete>${content}</Delete>`;
    return post(body, { 'content-md5': contentMd5(body), ...headers });
  };
  const object = (key: string, more = '') => `<Object><Key>${key}</Key>${more}</Object>`;

  it('reports on each key, in the order asked', async () => {
    const reply = await remove(object('b') + object('never') + object('a'));
    expect(reply.status).toBe(200);
    expect([...reply.text.matchAll(/<Deleted><Key>(\w+)</g)].map(([, key]) => key)).toEqual([
      'b',
      'never',
      'a',
    ]);
    expect([await has('a'), await has('b'), await has('c')]).toEqual([false, false, true]);
  });

  it('lets a line that cannot be carried out fail alone', async () => {
    const reply = await remove(
      object('a', '<VersionId>abc</VersionId>') +
        object('b', '<Size>x</Size>') +
        object('k'.repeat(1025)) +
        object('') +
        object('c', '<VersionId>null</VersionId>'),
    );
    expect([...reply.text.matchAll(/<Code>(\w+)</g)].map(([, code]) => code)).toEqual([
      'InvalidArgument',
      'InvalidArgument',
      'KeyTooLongError',
      'InvalidURI',
    ]);
    expect(reply.text).toContain('<Deleted><Key>c</Key><VersionId>null</VersionId></Deleted>');
    expect([await has('a'), await has('b'), await has('c')]).toEqual([true, true, false]);
  });

  it('deletes only what the ETag of a line names', async () => {
    const etag = (await surface.send({ method: 'HEAD', path: '/ddd/a' })).headers.etag;
    const reply = await remove(
      object('a', `<ETag>${etag}</ETag>`) + object('b', '<ETag>other</ETag>'),
    );
    expect(reply.text).toContain(
      '<Deleted><Key>a</Key></Deleted><Error><Key>b</Key><Code>PreconditionFailed</Code>',
    );
    expect([await has('a'), await has('b')]).toEqual([false, true]);
  });

  it('refuses an ETag in a line whose key has no object', async () => {
    const reply = await remove(
      object('never', '<ETag>x</ETag>') + object('gone', '<ETag>*</ETag>') + object('no'),
    );
    expect(
      [...reply.text.matchAll(/<Key>(\w+)<\/Key>(?:<Code>(\w+)<)?/g)].map(([, key, code]) => [
        key,
        code,
      ]),
    ).toEqual([
      ['never', 'NoSuchKey'],
      ['gone', 'NoSuchKey'],
      ['no', undefined],
    ]);
  });

  it('says only what failed when asked to be quiet', async () => {
    const reply = await remove(
      `<Quiet>true</Quiet>${object('a')}${object('b', '<VersionId>x</VersionId>')}`,
    );
    expect(reply.text).not.toContain('<Deleted>');
    expect(reply.text).toContain('<Error><Key>b</Key><VersionId>x</VersionId>');
    expect(await has('a')).toBe(false);
  });

  it('needs a digest of the document, in any form, and verifies it', async () => {
    const body = `<Delete>${object('a')}</Delete>`;
    const crc = checksumOf('CRC32', new TextEncoder().encode(body));
    expect(codeOf(await post(body, {}))).toEqual([400, 'InvalidRequest']);
    expect(codeOf(await post(body, { 'content-md5': contentMd5('x') }))).toEqual([
      400,
      'BadDigest',
    ]);
    expect(codeOf(await post(body, { 'content-md5': 'x' }))).toEqual([400, 'InvalidDigest']);
    expect(codeOf(await post(body, { 'x-amz-checksum-crc32': 'AAAAAA==' }))).toEqual([
      400,
      'BadDigest',
    ]);
    expect(await has('a')).toBe(true);
    expect(
      (await post(body, { 'x-amz-checksum-crc32': crc, 'x-amz-sdk-checksum-algorithm': 'CRC32' }))
        .status,
    ).toBe(200);
    expect(await has('a')).toBe(false);
  });

  it('takes the digest in a trailer', async () => {
    const document = new TextEncoder().encode(`<Delete>${object('a')}</Delete>`);
    const withTrailer = (value: string) =>
      post(frameUnsigned([document], { 'x-amz-checksum-crc32': value }), {
        'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'x-amz-decoded-content-length': `${document.length}`,
        'x-amz-trailer': 'x-amz-checksum-crc32',
      });
    expect(codeOf(await withTrailer('AAAAAA=='))).toEqual([400, 'BadDigest']);
    expect(await has('a')).toBe(true);
    expect((await withTrailer(checksumOf('CRC32', document))).status).toBe(200);
    expect(await has('a')).toBe(false);
  });

  it('takes 1,000 of the longest keys with all that may stand beside them', async () => {
    const longest = (i: number) => `${i}`.padEnd(1024, 'k');
    const more = '<VersionId>null</VersionId><ETag>"a"</ETag><Size>1</Size>';
    const date = '<LastModifiedTime>Wed, 12 Oct 2009 17:50:00 GMT</LastModifiedTime>';
    const objects = Array.from({ length: 1000 }, (_, i) => object(longest(i), more + date));
    const { status, text } = await remove(`<Quiet>true</Quiet>${objects.join('')}`);
    // Each line was read: there is nothing that its conditions could hold of.
    expect([status, text.match(/<Code>NoSuchVersion</g)?.length]).toEqual([200, 1000]);
  });

  it('does not read the list of somebody who may delete nothing at all', async () => {
    const policy = (statement: object) =>
      JSON.stringify({
        Statement: [
          { Effect: 'Allow', Principal: '*', Resource: 'arn:aws:s3:::ddd/*', ...statement },
        ],
      });
    const put = (body: string) =>
      surface.send({ method: 'PUT', path: '/ddd', query: { policy: '' }, body });
    const nonsense = '<Delete>'.repeat(1000);
    const as = (who: 'stranger' | 'nobody' | 'owner') =>
      surface.send({
        method: 'POST',
        path: '/ddd',
        query: { delete: '' },
        body: nonsense,
        headers: { 'content-md5': contentMd5(nonsense) },
        ...(who === 'owner' ? {} : { as: who }),
      });
    const codes = async () => [
      codeOf(await as('nobody')),
      codeOf(await as('stranger')),
      codeOf(await as('owner')),
    ];
    const [refused, read] = [
      [403, 'AccessDenied'],
      [400, 'MalformedXML'],
    ];
    await put(policy({ Action: 's3:GetObject' }));
    expect(await codes()).toEqual([refused, refused, read]);
    await put(
      policy({
        Action: 's3:DeleteObjectVersion',
        Condition: { Bool: { 'aws:SecureTransport': 'true' } },
      }),
    );
    expect(await codes()).toEqual([read, read, read]);
    await put(policy({ Action: 's3:Delete*', Principal: { AWS: 'nobody-else' } }));
    expect(await codes()).toEqual([refused, refused, read]);
    await put(policy({ Effect: 'Deny', Action: 's3:Delete*' }));
    expect(await codes()).toEqual([refused, refused, read]);
  });

  it.each([
    ['s3:DeleteObject', {}],
    ['s3:BypassGovernanceRetention', { 'x-amz-bypass-governance-retention': 'true' }],
  ])(
    'lets others run while a long policy is asked about %s of each key',
    async (action, headers) => {
      const never = Array.from({ length: 30 }, (_, i) => `*${'k?'.repeat(20)}${i}x*`);
      const statement = { Effect: 'Deny', Principal: '*', Action: action };
      const resources = never.map((text) => `arn:aws:s3:::ddd/${text}`);
      const body = JSON.stringify({ Statement: [{ ...statement, Resource: resources }] });
      expect(
        (await surface.send({ method: 'PUT', path: '/ddd', query: { policy: '' }, body })).status,
      ).toBe(204);
      let isRunning = true;
      let turns = 0;
      const count = () => {
        turns++;
        if (isRunning) setImmediate(count);
      };
      setImmediate(count);
      const content = Array.from({ length: 300 }, (_, i) => object(`${i}`.padEnd(1000, 'k'))).join(
        '',
      );
      const { status } = await remove(content, headers);
      isRunning = false;
      expect([status, turns > 10]).toEqual([200, true]);
    },
  );

  describe('under a policy', () => {
    const anybody = {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:DeleteObject',
      Resource: 'arn:aws:s3:::ddd/*',
    };
    const slow = Array.from({ length: 580 }, (_, i) => `arn:aws:s3:::ddd/*${i}?x*`);
    const patterns = [anybody, { ...anybody, Effect: 'Deny', Resource: slow }];
    const putPolicy = async (statements: readonly object[]) => {
      const body = JSON.stringify({ Version: '2012-10-17', Statement: statements });
      const sent = { method: 'PUT', path: '/ddd', query: { policy: '' }, body };
      expect(await surface.send(sent)).toMatchObject({ status: 204 });
    };
    const longest = Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(1024, 'k'));
    const removeAs = (
      as: 'nobody' | 'owner',
      keys: readonly string[],
      headers: Record<string, string> = {},
    ) => {
      const body = `<Delete>${keys.map((key) => object(key)).join('')}</Delete>`;
      const digest = { 'content-md5': contentMd5(body) };
      const sent = { method: 'POST', path: '/ddd', query: { delete: '' }, body, as };
      return surface.send({ ...sent, headers: { ...digest, ...headers } });
    };
    const count = (text: string, part: string) => text.split(part).length - 1;

    it.each(['nobody', 'owner'] as const)(
      'full of patterns says SlowDown of the keys that would take too long, to %s',
      async (as) => {
        await putPolicy(patterns);
        const { status, text } = await removeAs(as, ['a', ...longest.slice(0, 998), 'b']);
        expect(status).toBe(200);
        const deleted = count(text, '<Deleted>');
        // Each takes half a million comparisons or more.
        expect(deleted).toBeGreaterThan(1);
        expect(deleted).toBeLessThan(40);
        expect(count(text, '<Code>SlowDown</Code>')).toBe(1000 - deleted);
        expect(text).toContain('Please ask for fewer keys at once.');
        expect([await has('a'), await has('b')]).toEqual([false, true]);
        expect((await removeAs(as, ['b'])).text).toContain('<Deleted><Key>b</Key>');
      },
    );

    it.each(['nobody', 'owner'] as const)(
      'of 20 plain statements deletes all of 1,000 keys for %s',
      async (as) => {
        const never = { ...anybody, Effect: 'Deny' };
        const plain = [
          ...['private', 'legal', 'backup'].map((folder) => ({
            ...never,
            Resource: `arn:aws:s3:::ddd/${folder}/*`,
          })),
          ...['lock', 'keep', 'tar'].map((end) => ({
            ...never,
            Resource: `arn:aws:s3:::ddd/*.${end}`,
          })),
          ...['secret', 'archive', 'hold'].map((part) => ({
            ...never,
            Resource: `arn:aws:s3:::ddd/*/${part}/*`,
          })),
          ...['bot', 'crawler'].map((agent) => ({
            ...never,
            Condition: { StringLike: { 'aws:UserAgent': `*${agent}*` } },
          })),
          ...[1, 2, 3, 4].map((i) => ({
            ...never,
            Condition: { IpAddress: { 'aws:SourceIp': `198.51.${i}.0/24` } },
          })),
          ...[1, 2, 3].map((i) => ({
            ...never,
            Condition: { StringLike: { 'aws:Referer': `https://${i}.example/*` } },
          })),
          { ...never, Condition: { NumericGreaterThan: { 's3:max-keys': '5000' } } },
          anybody,
        ];
        expect(plain).toHaveLength(20);
        await putPolicy(plain);
        const headers = {
          'user-agent': 'Mozilla/5.0 '.repeat(10),
          referer: 'https://example.com/a/page',
        };
        const { text } = await removeAs(as, longest, headers);
        expect([count(text, '<Deleted>'), count(text, '<Error>')]).toEqual([1000, 0]);
      },
    );

    it('that comes while keys are deleted is asked no more either', async () => {
      let isArmed = false;
      surface = createTestSurface({
        ports: (working) => ({
          ...working,
          metadataIndex: {
            ...working.metadataIndex,
            async call(name, method, input) {
              if (isArmed && method === 'deleteObjects') {
                isArmed = false;
                await putPolicy(patterns);
              }
              return working.metadataIndex.call(name, method, input);
            },
          },
        }),
      });
      await surface.send({ method: 'PUT', path: '/ddd' });
      await surface.send({ method: 'PUT', path: '/ddd/a', body: 'a' });
      await putPolicy([anybody]);
      isArmed = true;
      expect(codeOf(await removeAs('nobody', ['a', ...longest.slice(0, 999)]))).toEqual([
        503,
        'SlowDown',
      ]);
      expect([isArmed, await has('a')]).toEqual([false, true]);
    });
  });

  it('deletes nothing for a document that is none', async () => {
    for (const content of ['', `${object('a')}<Unknown/>`, object('a').repeat(1001)]) {
      expect(codeOf(await remove(content))).toEqual([400, 'MalformedXML']);
    }
    const huge = ' '.repeat(DELETE_MAX_BYTES + 1);
    expect(codeOf(await post(huge, { 'content-md5': contentMd5(huge) }))).toEqual([
      400,
      'MaxMessageLengthExceeded',
    ]);
    expect(await has('a')).toBe(true);
  });
});
