import { beforeEach, describe, expect, it } from 'vitest';
import { codeOf, contentMd5 } from '../../kit/responses.ts';
import { NOW_MS } from '../../kit/sign-for-test.ts';
import { createTestSurface, type Reply, type Sent, STRANGER } from '../../kit/surface.ts';

let surface = createTestSurface();
const send = (sent: Sent) => surface.send(sent);
const isoAfter = (seconds: number) => new Date(NOW_MS + seconds * 1000).toISOString();
const DAY = 24 * 3600;

const V = '/vault';
const K = '/vault/k';
const put = (path: string, headers: Record<string, string> = {}) =>
  send({ method: 'PUT', path, body: 'x', headers });
const idOf = (reply: Reply) => reply.headers['x-amz-version-id'] ?? '';
const remove = (versionId: string, headers = {}) =>
  send({ method: 'DELETE', path: K, query: { versionId }, headers });
const BYPASS = { 'x-amz-bypass-governance-retention': 'true' };

const configuration = (rule: string) =>
  `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>${rule}` +
  '</ObjectLockConfiguration>';
const byDefault = (content: string) =>
  configuration(`<Rule><DefaultRetention>${content}</DefaultRetention></Rule>`);
const configure = (body: string, path = V) =>
  send({ method: 'PUT', path, query: { 'object-lock': '' }, body });
const versioning = (status: string, path: string) =>
  send({
    ...{ method: 'PUT', path, query: { versioning: '' } },
    body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
  });
const retention = (mode: string, until: string) =>
  `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;
const retain = (body: string, headers = {}, path = K) =>
  send({ method: 'PUT', path, query: { retention: '' }, body, headers });
const hold = (status: string, path = K) =>
  send({
    ...{ method: 'PUT', path, query: { 'legal-hold': '' } },
    body: `<LegalHold><Status>${status}</Status></LegalHold>`,
  });
const shown = async () => {
  const { headers } = await send({ method: 'HEAD', path: K });
  return ['mode', 'retain-until-date', 'legal-hold'].map(
    (name) => headers[`x-amz-object-lock-${name}`],
  );
};

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT', path: V, headers: { 'x-amz-bucket-object-lock-enabled': 'true' } });
  await send({ method: 'PUT', path: '/plain' });
});

describe('object lock of a bucket', () => {
  const get = (path = V) => send({ path, query: { 'object-lock': '' } });

  it('comes with versioning, which then stays', async () => {
    expect((await send({ path: V, query: { versioning: '' } })).text).toContain(
      '<Status>Enabled</Status>',
    );
    expect(codeOf(await versioning('Suspended', V))).toEqual([409, 'InvalidBucketState']);
    expect((await versioning('Enabled', V)).status).toBe(200);
    expect((await get()).text).toContain(
      '<ObjectLockConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
        '<ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>',
    );
  });

  it('has a default that is put, given back and taken away', async () => {
    expect((await configure(byDefault('<Mode>GOVERNANCE</Mode><Days>3</Days>'))).status).toBe(200);
    expect((await get()).text).toContain(
      '<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>3</Days></DefaultRetention></Rule>',
    );
    await configure(byDefault('<Mode>COMPLIANCE</Mode><Years>100</Years>'));
    expect((await get()).text).toContain('<Mode>COMPLIANCE</Mode><Years>100</Years>');
    await configure(configuration(''));
    expect((await get()).text).not.toContain('Rule');
  });

  it('can be switched on later, where versions are kept', async () => {
    expect(codeOf(await get('/plain'))).toEqual([404, 'ObjectLockConfigurationNotFoundError']);
    expect(codeOf(await configure(configuration(''), '/plain'))).toEqual([
      409,
      'InvalidBucketState',
    ]);
    await versioning('Suspended', '/plain');
    expect(codeOf(await configure(configuration(''), '/plain'))).toEqual([
      409,
      'InvalidBucketState',
    ]);
    await versioning('Enabled', '/plain');
    expect((await configure(configuration(''), '/plain')).status).toBe(200);
    expect(codeOf(await versioning('Suspended', '/plain'))).toEqual([409, 'InvalidBucketState']);
  });

  it.each([
    [byDefault('<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>'), 'MalformedXML'],
    [byDefault('<Mode>GOVERNANCE</Mode>'), 'MalformedXML'],
    [byDefault('<Mode>governance</Mode><Days>1</Days>'), 'MalformedXML'],
    [byDefault('<Days>1</Days>'), 'MalformedXML'],
    [byDefault('<Mode>GOVERNANCE</Mode><Days>1.5</Days>'), 'MalformedXML'],
    [byDefault('<Mode>GOVERNANCE</Mode><Days>0</Days>'), 'InvalidRetentionPeriod'],
    [byDefault('<Mode>GOVERNANCE</Mode><Years>-1</Years>'), 'InvalidRetentionPeriod'],
    [byDefault('<Mode>GOVERNANCE</Mode><Days>36501</Days>'), 'InvalidRetentionPeriod'],
    [byDefault('<Mode>GOVERNANCE</Mode><Years>101</Years>'), 'InvalidRetentionPeriod'],
    [configuration('<Rule/>'), 'MalformedXML'],
    ['<ObjectLockConfiguration/>', 'MalformedXML'],
    [configuration('').replace('Enabled<', 'Disabled<'), 'MalformedXML'],
    ['', 'MalformedXML'],
  ])('refuses %s', async (body, code) => {
    expect(codeOf(await configure(body))).toEqual([400, code]);
    expect((await get()).text).not.toContain('Rule');
  });

  it('is the owner’s alone, and wished in plain words', async () => {
    expect(codeOf(await send({ path: V, query: { 'object-lock': '' }, as: 'stranger' }))).toEqual([
      403,
      'AccessDenied',
    ]);
    const headers = { 'x-amz-bucket-object-lock-enabled': 'yes' };
    expect(codeOf(await send({ method: 'PUT', path: '/odd', headers }))).toEqual([
      400,
      'InvalidArgument',
    ]);
  });
});

describe('the default retention', () => {
  it('is given to what is put, copied and completed, unless that brings its own', async () => {
    await put('/vault/before');
    await configure(byDefault('<Mode>GOVERNANCE</Mode><Days>1</Days>'));
    const locked = ['GOVERNANCE', isoAfter(DAY), undefined];
    await put(K);
    expect(await shown()).toEqual(locked);
    await put(K, { 'x-amz-copy-source': '/vault/before' });
    expect(await shown()).toEqual(locked);
    const uploads = await send({ method: 'POST', path: K, query: { uploads: '' } });
    const uploadId = /<UploadId>([^<]+)/.exec(uploads.text)?.[1] ?? '';
    surface.advanceMs(60_000);
    const part = await send({
      method: 'PUT',
      path: K,
      query: { uploadId, partNumber: '1' },
      body: 'x',
    });
    const list = `<Part><PartNumber>1</PartNumber><ETag>${part.headers.etag}</ETag></Part>`;
    const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`;
    await send({ method: 'POST', path: K, query: { uploadId }, body });
    expect(await shown()).toEqual(['GOVERNANCE', isoAfter(DAY + 60), undefined]);
    const own = {
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': isoAfter(100),
    };
    await put(K, own);
    expect(await shown()).toEqual(['COMPLIANCE', isoAfter(100), undefined]);
    await put(K, { 'x-amz-object-lock-legal-hold': 'OFF' });
    expect(await shown()).toEqual(['GOVERNANCE', isoAfter(DAY + 60), 'OFF']);
    expect((await send({ path: '/vault/before', query: { retention: '' } })).status).toBe(404);
  });
});

describe('a lock in the headers of a write', () => {
  const mode = (value: string) => ({ 'x-amz-object-lock-mode': value });
  const date = (value: string) => ({ 'x-amz-object-lock-retain-until-date': value });
  it.each([
    [mode('GOVERNANCE'), 'InvalidArgument'],
    [date(isoAfter(100)), 'InvalidArgument'],
    [{ ...mode('governance'), ...date(isoAfter(100)) }, 'InvalidArgument'],
    [{ ...mode('GOVERNANCE'), ...date(isoAfter(0)) }, 'InvalidArgument'],
    [{ ...mode('GOVERNANCE'), ...date('tomorrow') }, 'InvalidArgument'],
    [{ ...mode('GOVERNANCE'), ...date('2030-13-01T00:00:00Z') }, 'InvalidArgument'],
    [{ 'x-amz-object-lock-legal-hold': 'on' }, 'InvalidArgument'],
  ])('%j is refused, and nothing is stored', async (headers, code) => {
    expect(codeOf(await put('/vault/new', headers))).toEqual([400, code]);
    expect((await send({ path: '/vault/new' })).status).toBe(404);
  });

  it('needs a bucket with object lock', async () => {
    const headers = { 'x-amz-object-lock-legal-hold': 'ON' };
    expect(codeOf(await put('/plain/k', headers))).toEqual([400, 'InvalidRequest']);
    expect(
      codeOf(await send({ method: 'POST', path: '/plain/k', query: { uploads: '' }, headers })),
    ).toEqual([400, 'InvalidRequest']);
  });
});

describe('the retention of a version', () => {
  const get = () => send({ path: K, query: { retention: '' } });

  it('is put, shown and given back to the millisecond', async () => {
    await put(K);
    expect(codeOf(await get())).toEqual([404, 'NoSuchObjectLockConfiguration']);
    expect((await retain(retention('GOVERNANCE', '2040-01-02T03:04:05.678901+01:00'))).status).toBe(
      200,
    );
    expect((await get()).text).toContain(
      '<Mode>GOVERNANCE</Mode><RetainUntilDate>2040-01-02T02:04:05.678Z</RetainUntilDate>',
    );
    expect(await shown()).toEqual(['GOVERNANCE', '2040-01-02T02:04:05.678Z', undefined]);
  });

  it('keeps the version, not the key, and governance yields to its bypass', async () => {
    const id = idOf(await put(K));
    await retain(retention('GOVERNANCE', isoAfter(DAY)));
    expect(codeOf(await remove(id))).toEqual([403, 'AccessDenied']);
    const marker = await send({ method: 'DELETE', path: K });
    expect([marker.status, marker.headers['x-amz-delete-marker']]).toEqual([204, 'true']);
    expect((await remove(idOf(marker))).status).toBe(204);
    expect((await remove(id, BYPASS)).status).toBe(204);
  });

  it('of compliance yields to nobody until it is over', async () => {
    const id = idOf(await put(K));
    await retain(retention('COMPLIANCE', isoAfter(300)));
    expect(codeOf(await remove(id, BYPASS))).toEqual([403, 'AccessDenied']);
    for (const body of [
      '<Retention/>',
      retention('COMPLIANCE', isoAfter(100)),
      retention('GOVERNANCE', isoAfter(DAY)),
    ]) {
      expect(codeOf(await retain(body, BYPASS))).toEqual([403, 'AccessDenied']);
    }
    expect((await retain(retention('COMPLIANCE', isoAfter(600)))).status).toBe(200);
    surface.advanceMs(600_000);
    expect((await remove(id)).status).toBe(204);
  });

  it('of governance is changed by its bypass only, but for a longer one', async () => {
    await put(K);
    await retain(retention('GOVERNANCE', isoAfter(DAY)));
    expect((await retain(retention('GOVERNANCE', isoAfter(2 * DAY)))).status).toBe(200);
    const changes = [
      retention('GOVERNANCE', isoAfter(DAY)),
      '<Retention/>',
      retention('COMPLIANCE', isoAfter(2 * DAY)),
    ];
    for (const body of changes) {
      expect(codeOf(await retain(body))).toEqual([403, 'AccessDenied']);
    }
    for (const body of changes) expect((await retain(body, BYPASS)).status).toBe(200);
  });

  it.each([
    [retention('governance', isoAfter(DAY)), 'MalformedXML'],
    [retention('GOVERNANCE', 'x'), 'MalformedXML'],
    ['<Retention><Mode>GOVERNANCE</Mode></Retention>', 'MalformedXML'],
    [retention('GOVERNANCE', isoAfter(0)), 'InvalidArgument'],
  ])('refuses %s', async (body, code) => {
    await put(K);
    expect(codeOf(await retain(body))).toEqual([400, code]);
  });

  it('is for a bucket with object lock, an object that is there, and no marker', async () => {
    await put('/plain/k');
    const body = retention('GOVERNANCE', isoAfter(DAY));
    expect(codeOf(await retain(body, {}, '/plain/k'))).toEqual([400, 'InvalidRequest']);
    expect(codeOf(await send({ path: '/plain/k', query: { retention: '' } }))).toEqual([
      400,
      'InvalidRequest',
    ]);
    expect(codeOf(await retain(body))).toEqual([404, 'NoSuchKey']);
    await send({ method: 'DELETE', path: K });
    expect(codeOf(await retain(body))).toEqual([405, 'MethodNotAllowed']);
  });
});

describe('a legal hold', () => {
  const get = (path = K) => send({ path, query: { 'legal-hold': '' } });

  it('keeps the version whatever is bypassed, until it is taken away', async () => {
    const id = idOf(await put(K));
    expect(codeOf(await get())).toEqual([404, 'NoSuchObjectLockConfiguration']);
    expect((await hold('ON')).status).toBe(200);
    expect((await get()).text).toContain(
      '<LegalHold xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>ON</Status></LegalHold>',
    );
    expect(await shown()).toEqual([undefined, undefined, 'ON']);
    expect(codeOf(await remove(id, BYPASS))).toEqual([403, 'AccessDenied']);
    await hold('OFF');
    expect((await get()).text).toContain('<Status>OFF</Status>');
    expect((await remove(id)).status).toBe(204);
  });

  it('is not known elsewhere, or in other words', async () => {
    await put(K);
    await put('/plain/k');
    expect(codeOf(await hold('abc'))).toEqual([400, 'MalformedXML']);
    expect(codeOf(await hold('ON', '/plain/k'))).toEqual([400, 'InvalidRequest']);
    expect(codeOf(await get('/plain/k'))).toEqual([400, 'InvalidRequest']);
    expect(codeOf(await send({ path: K, query: { 'legal-hold': '' }, as: 'stranger' }))).toEqual([
      403,
      'AccessDenied',
    ]);
  });
});

it('DeleteObjects refuses locked versions one by one', async () => {
  const [kept, free] = [idOf(await put(K)), idOf(await put('/vault/free'))];
  const query = { retention: '', versionId: kept };
  await send({ method: 'PUT', path: K, query, body: retention('GOVERNANCE', isoAfter(DAY)) });
  const all =
    `<Object><Key>k</Key><VersionId>${kept}</VersionId></Object><Object><Key>free</Key>` +
    `<VersionId>${free}</VersionId></Object>`;
  const body = `<Delete>${all}</Delete>`;
  const drop = (headers: Record<string, string>) =>
    send({
      method: 'POST',
      path: V,
      query: { delete: '' },
      body,
      headers: { 'content-md5': contentMd5(body), ...headers },
    });
  const { text } = await drop({});
  expect(text).toContain(`<Deleted><Key>free</Key><VersionId>${free}</VersionId></Deleted>`);
  expect(text).toMatch(
    new RegExp(`<Error><Key>k</Key><VersionId>${kept}</VersionId><Code>AccessDenied</Code>`),
  );
  expect((await drop(BYPASS)).text).not.toContain('<Error>');
});

it('GetObject shows locks and tags to those who may read them; nobody else sets any', async () => {
  await put(K, { 'x-amz-object-lock-legal-hold': 'ON', 'x-amz-tagging': 'a=1' });
  await retain(retention('GOVERNANCE', isoAfter(DAY)));
  const allow = (...actions: string[]) => {
    const statement = {
      Effect: 'Allow',
      Principal: '*',
      Action: actions,
      Resource: 'arn:aws:s3:::vault/*',
    };
    const body = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    return send({ method: 'PUT', path: V, query: { policy: '' }, body });
  };
  const seen = async () => {
    const { status, headers } = await send({ method: 'HEAD', path: K, as: 'stranger' });
    const names = ['x-amz-object-lock-mode', 'x-amz-object-lock-legal-hold', 'x-amz-tagging-count'];
    return [status, ...names.map((name) => headers[name])];
  };
  await allow('s3:GetObject', 's3:PutObject');
  expect(await seen()).toEqual([200, undefined, undefined, undefined]);
  const own = {
    'x-amz-object-lock-mode': 'COMPLIANCE',
    'x-amz-object-lock-retain-until-date': isoAfter(DAY),
  };
  const body = 'x';
  expect(
    codeOf(await send({ method: 'PUT', path: '/vault/own', body, headers: own, as: 'stranger' })),
  ).toEqual([403, 'AccessDenied']);
  await allow('s3:GetObject', 's3:GetObjectRetention');
  expect(await seen()).toEqual([200, 'GOVERNANCE', undefined, undefined]);
  await allow('s3:GetObject', 's3:GetObjectLegalHold', 's3:GetObjectTagging');
  expect(await seen()).toEqual([200, undefined, 'ON', '1']);
});

describe('rights of their own', () => {
  const allow = (Action: string[], Condition: object = {}) => ({
    ...{
      Effect: 'Allow',
      Principal: { AWS: STRANGER.id },
      Action,
      Resource: 'arn:aws:s3:::vault/*',
    },
    Condition,
  });
  const policy = (...Statement: object[]) =>
    send({
      method: 'PUT',
      path: V,
      query: { policy: '' },
      body: JSON.stringify({ Version: '2012-10-17', Statement }),
    });
  const as = 'stranger' as const;
  const until = isoAfter(10 * DAY);
  const locked = (headers: Record<string, string>) =>
    send({ method: 'PUT', path: K, body: 'x', headers, as });
  const MODE = {
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': until,
  };
  const HOLD = { 'x-amz-object-lock-legal-hold': 'ON' };

  it('are needed for each lock that a write sets', async () => {
    await policy(allow(['s3:PutObject']));
    expect((await locked({})).status).toBe(200);
    for (const headers of [MODE, HOLD])
      expect(codeOf(await locked(headers))).toEqual([403, 'AccessDenied']);
    await policy(allow(['s3:PutObject', 's3:PutObjectRetention']));
    expect([(await locked(MODE)).status, (await locked(HOLD)).status]).toEqual([200, 403]);
    await policy(allow(['s3:PutObject', 's3:PutObjectLegalHold']));
    expect([(await locked(MODE)).status, (await locked(HOLD)).status]).toEqual([403, 200]);
  });

  it('are needed to override governance, and the owner may be denied it', async () => {
    await policy(allow(['s3:PutObject', 's3:PutObjectRetention', 's3:DeleteObjectVersion']));
    const versionId = idOf(await locked(MODE));
    const removeAs = (who: 'owner' | 'stranger') =>
      send({ method: 'DELETE', path: K, query: { versionId }, headers: BYPASS, as: who });
    expect((await removeAs('stranger')).status).toBe(403);
    const everyone = { Effect: 'Deny', Principal: '*', Resource: 'arn:aws:s3:::vault/*' };
    await policy({ ...everyone, Action: 's3:BypassGovernanceRetention' });
    expect((await removeAs('owner')).status).toBe(403);
    await policy(allow(['s3:DeleteObjectVersion', 's3:BypassGovernanceRetention']));
    expect((await removeAs('stranger')).status).toBe(204);
  });

  it('may hang on what is wished, in headers and in documents', async () => {
    const short = { NumericLessThanEquals: { 's3:object-lock-remaining-retention-days': '10' } };
    const off = { StringEquals: { 's3:object-lock-legal-hold': 'OFF' } };
    await policy(
      allow(['s3:PutObject']),
      allow(['s3:PutObjectRetention'], short),
      allow(['s3:PutObjectLegalHold'], off),
    );
    expect((await locked(MODE)).status).toBe(200);
    const long = { ...MODE, 'x-amz-object-lock-retain-until-date': isoAfter(11 * DAY) };
    expect((await locked(long)).status).toBe(403);
    const change = (name: string, body: string) =>
      send({ method: 'PUT', path: K, query: { [name]: '' }, body, as });
    expect((await change('retention', retention('GOVERNANCE', isoAfter(11 * DAY)))).status).toBe(
      403,
    );
    expect((await change('retention', retention('GOVERNANCE', until))).status).toBe(200);
    const heldBy = (status: string) =>
      change('legal-hold', `<LegalHold><Status>${status}</Status></LegalHold>`);
    expect([(await heldBy('ON')).status, (await heldBy('OFF')).status]).toEqual([403, 200]);
  });
});
