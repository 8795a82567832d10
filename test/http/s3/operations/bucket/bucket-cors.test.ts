import { beforeEach, describe, expect, it } from 'vitest';
import { codeOf, contentMd5 } from '../../kit/responses.ts';
import { createTestSurface, type Reply, type Sent } from '../../kit/surface.ts';

let surface = createTestSurface();
const send = (sent: Partial<Sent>) => surface.send({ path: '/shared', ...sent });
const cors = { query: { cors: '' } };
const put = (body: string, sent: Partial<Sent> = {}) =>
  send({ method: 'PUT', ...cors, body, headers: { 'content-md5': contentMd5(body) }, ...sent });
const rules = (...all: string[]) =>
  `<CORSConfiguration>${all.map((rule) => `<CORSRule>${rule}</CORSRule>`).join('')}` +
  '</CORSConfiguration>';
const GET_ALL = '<AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin>';
const PUT_OWN =
  '<ID>own</ID><AllowedOrigin>https://*.example</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>' +
  '<AllowedHeader>Content-*</AllowedHeader><MaxAgeSeconds>60</MaxAgeSeconds>' +
  '<ExposeHeader>ETag</ExposeHeader>';
const ORIGIN = 'https://app.example';
const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT' });
  await send({ method: 'PUT', path: '/shared/k', body: 'x' });
});

describe('the configuration', () => {
  it('is given back as it was put, and can be taken away', async () => {
    expect(codeOf(await send(cors))).toEqual([404, 'NoSuchCORSConfiguration']);
    expect((await put(rules(GET_ALL, PUT_OWN))).status).toBe(200);
    expect((await send(cors)).text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<CORSConfiguration xmlns="http://' +
        's3.amazonaws.com/doc/2006-03-01/">' +
        '<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>' +
        '<CORSRule><AllowedHeader>Content-*</AllowedHeader><AllowedMethod>PUT</AllowedMethod>' +
        '<AllowedOrigin>https://*.example</AllowedOrigin><ExposeHeader>ETag</ExposeHeader>' +
        '<ID>own</ID>' +
        '<MaxAgeSeconds>60</MaxAgeSeconds></CORSRule></CORSConfiguration>',
    );
    expect((await send({ method: 'DELETE', ...cors })).status).toBe(204);
    expect(codeOf(await send(cors))).toEqual([404, 'NoSuchCORSConfiguration']);
    expect((await send({ method: 'DELETE', ...cors })).status).toBe(204);
  });

  it('takes back the document that it gives', async () => {
    await put(rules(PUT_OWN));
    const given = (await send(cors)).text;
    expect((await put(given)).status).toBe(200);
    expect((await send(cors)).text).toBe(given);
  });

  const refused: [string, string, unknown[]][] = [
    ['no rule', rules(), [400, 'MalformedXML']],
    ['101 rules', rules(...Array(101).fill(GET_ALL)), [400, 'MalformedXML']],
    ['no method', rules('<AllowedOrigin>*</AllowedOrigin>'), [400, 'MalformedXML']],
    ['no origin', rules('<AllowedMethod>GET</AllowedMethod>'), [400, 'MalformedXML']],
    ['an empty origin', rules(GET_ALL.replace('*', ' ')), [400, 'MalformedXML']],
    ['an element of its own', rules(`${GET_ALL}<Allow/>`), [400, 'MalformedXML']],
    ['two IDs', rules(`${GET_ALL}<ID>a</ID><ID>b</ID>`), [400, 'MalformedXML']],
    [
      'an ID of 256 characters',
      rules(`${GET_ALL}<ID>${'ü'.repeat(256)}</ID>`),
      [400, 'MalformedXML'],
    ],
    [
      'an age below zero',
      rules(`${GET_ALL}<MaxAgeSeconds>-1</MaxAgeSeconds>`),
      [400, 'MalformedXML'],
    ],
    [
      'an age without end',
      rules(`${GET_ALL}<MaxAgeSeconds>9999999999</MaxAgeSeconds>`),
      [400, 'MalformedXML'],
    ],
    ['a method that none has', rules(GET_ALL.replace('GET', 'PATCH')), [400, 'InvalidRequest']],
    ['a method in small letters', rules(GET_ALL.replace('GET', 'get')), [400, 'InvalidRequest']],
    ['two stars in an origin', rules(GET_ALL.replace('*', 'https://*.*')), [400, 'InvalidRequest']],
    [
      'two stars in a header',
      rules(`${GET_ALL}<AllowedHeader>*-*</AllowedHeader>`),
      [400, 'InvalidRequest'],
    ],
    [
      'a star to expose',
      rules(`${GET_ALL}<ExposeHeader>x-*</ExposeHeader>`),
      [400, 'InvalidRequest'],
    ],
    [
      'no name to expose',
      rules(`${GET_ALL}<ExposeHeader>a b</ExposeHeader>`),
      [400, 'InvalidRequest'],
    ],
    [
      'too much',
      rules(`${GET_ALL}<!--${' '.repeat(65_536)}-->`),
      [400, 'MaxMessageLengthExceeded'],
    ],
    ['another document', '<WebsiteConfiguration/>', [400, 'MalformedXML']],
  ];
  it.each(refused)('refuses %s and stays as it was', async (_, body, expected) => {
    await put(rules(GET_ALL));
    const before = (await send(cors)).text;
    expect(codeOf(await put(body))).toEqual(expected);
    expect((await send(cors)).text).toBe(before);
  });

  it('takes 100 rules and an ID of 255 characters', async () => {
    expect((await put(rules(...Array(100).fill(GET_ALL)))).status).toBe(200);
    expect((await put(rules(`${GET_ALL}<ID>${'😀'.repeat(255)}</ID>`))).status).toBe(200);
  });

  it('wants a digest, and the right one', async () => {
    expect(codeOf(await put(rules(GET_ALL), { headers: {} }))).toEqual([400, 'InvalidRequest']);
    expect(
      codeOf(await put(rules(GET_ALL), { headers: { 'content-md5': contentMd5('') } })),
    ).toEqual([400, 'BadDigest']);
    expect(
      (await put(rules(GET_ALL), { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } })).status,
    ).toBe(400);
  });

  it('is the owner’s alone', async () => {
    for (const as of ['stranger', 'nobody'] as const) {
      expect(codeOf(await put(rules(GET_ALL), { as }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ ...cors, as }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ method: 'DELETE', ...cors, as }))).toEqual([403, 'AccessDenied']);
    }
  });
});

describe('preflight', () => {
  const ask = (headers: Record<string, string>, sent: Partial<Sent> = {}) =>
    send({ method: 'OPTIONS', path: '/shared/k', as: 'nobody', headers, ...sent });
  const put = { origin: ORIGIN, 'access-control-request-method': 'PUT' };
  const configure = () => {
    const body = rules(GET_ALL, PUT_OWN);
    return send({ method: 'PUT', ...cors, body, headers: { 'content-md5': contentMd5(body) } });
  };

  it('tells what a rule allows, of keys that are there or not and with any query', async () => {
    await configure();
    for (const path of ['/shared/k', '/shared/none', '/shared']) {
      for (const query of [{}, { uploadId: 'u', partNumber: '1' }, { acl: '', policy: '' }]) {
        const reply = await ask(
          { ...put, 'access-control-request-headers': 'Content-Type, content-md5' },
          { path, query },
        );
        expect([reply.status, reply.text]).toEqual([200, '']);
        expect(reply.headers).toMatchObject({
          'access-control-allow-origin': ORIGIN,
          'access-control-allow-methods': 'PUT',
          'access-control-allow-headers': 'content-type, content-md5',
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': 'ETag',
          'access-control-max-age': '60',
          'content-length': '0',
          vary: VARY,
        });
      }
    }
  });

  it.each([
    ['no origin', {}, [400, 'BadRequest'], 'Origin request header needed'],
    [
      'no method',
      { origin: ORIGIN },
      [400, 'BadRequest'],
      'Invalid Access-Control-Request-Method: null',
    ],
    [
      'an unknown method',
      { ...put, 'access-control-request-method': 'PATCH' },
      [400, 'BadRequest'],
      'PATCH',
    ],
    [
      'another origin',
      { ...put, origin: 'https://evil' },
      [403, 'AccessForbidden'],
      'is not allowed',
    ],
    [
      'another method',
      { ...put, 'access-control-request-method': 'POST' },
      [403, 'AccessForbidden'],
      'is not allowed',
    ],
    [
      'another header',
      { ...put, 'access-control-request-headers': 'authorization' },
      [403, 'AccessForbidden'],
      'is not allowed',
    ],
  ])('is refused with %s', async (_, headers, expected, text) => {
    await configure();
    const reply = await ask(headers);
    expect(codeOf(reply)).toEqual(expected);
    expect(reply.text).toContain(text);
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('is refused where there are no rules, no bucket, or only the service', async () => {
    const refusals = [{}, { path: '/missing-bucket/k' }, { path: '/' }].map((sent) =>
      ask(put, sent),
    );
    const replies = await Promise.all(refusals);
    expect(replies.map(codeOf)).toEqual(Array(3).fill([403, 'AccessForbidden']));
    expect(replies.map(({ text }) => /CORSResponse: [^<]*/.exec(text)?.[0])).toEqual([
      'CORSResponse: CORS is not enabled for this bucket.',
      'CORSResponse: Bucket not found',
      'CORSResponse: CORS is not enabled for this bucket.',
    ]);
    expect(replies[0]?.text).toContain('<Method>PUT</Method><ResourceType>OBJECT</ResourceType>');
  });
});

describe('responses that are no preflight', () => {
  const origin = { origin: ORIGIN };
  const allowed = (reply: Reply) => [
    reply.status,
    reply.headers['access-control-allow-origin'] ?? null,
  ];
  beforeEach(() => put(rules(GET_ALL.replace('*', 'https://*'), PUT_OWN)));

  it('tell it too, errors included', async () => {
    const object = { path: '/shared/k', headers: origin };
    expect(allowed(await send(object))).toEqual([200, ORIGIN]);
    expect(allowed(await send({ path: '/shared/none', headers: origin }))).toEqual([404, ORIGIN]);
    expect(
      allowed(await send({ ...object, as: 'stranger', query: { versionId: 'null' } })),
    ).toEqual([403, ORIGIN]);
    expect(allowed(await send({ ...object, query: { torrent: '' } }))).toEqual([404, ORIGIN]);
    expect(allowed(await send({ ...object, query: { annotation: '' } }))).toEqual([501, ORIGIN]);
    expect(
      allowed(await send({ ...object, headers: { ...origin, authorization: 'x' }, as: 'nobody' })),
    ).toEqual([400, ORIGIN]);
    expect(allowed(await send({ headers: origin }))).toEqual([200, ORIGIN]);
    expect(allowed(await send({ ...object, method: 'PUT', body: 'y' }))).toEqual([200, ORIGIN]);
    expect(allowed(await send({ ...object, method: 'DELETE' }))).toEqual([204, null]);
    expect(allowed(await send({ path: '/missing-bucket/k', headers: origin }))).toEqual([
      404,
      null,
    ]);
  });

  it('vary by the origin, also without one, and not in a bucket without rules', async () => {
    const varyOf = async (headers: Record<string, string>) =>
      (await send({ path: '/shared/k', headers })).headers.vary ?? null;
    expect(await varyOf(origin)).toBe(VARY);
    expect(await varyOf({ origin: 'http://plain' })).toBe(VARY);
    expect(await varyOf({})).toBe(VARY);
    await send({ method: 'DELETE', ...cors });
    expect(await varyOf(origin)).toBe(null);
    expect(await varyOf({})).toBe(null);
  });
});
