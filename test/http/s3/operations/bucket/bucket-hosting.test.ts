import { beforeEach, describe, expect, it } from 'vitest';
import { HOSTING_DEFAULTS } from '../../../../../src/core/hosting/read-hosting.ts';
import { createTestSurface } from '../../kit/surface.ts';

let surface = createTestSurface();
const hosting = { hosting: '' };
const put = (document: object, path = '/pages', as: 'owner' | 'stranger' | 'nobody' = 'owner') =>
  surface.send({ method: 'PUT', path, query: hosting, body: JSON.stringify(document), as });
const codeOf = (text: string) => /<Code>(\w+)</.exec(text)?.[1];

beforeEach(async () => {
  surface = createTestSurface();
  for (const path of ['/pages', '/other']) await surface.send({ method: 'PUT', path });
});

describe('hosting settings', () => {
  it('are put, shown and deleted', async () => {
    const none = await surface.send({ path: '/pages', query: hosting });
    expect([none.status, codeOf(none.text)]).toEqual([404, 'NoSuchHostingConfiguration']);
    const document = {
      spaFallback: true,
      domains: [{ host: 'www.shop.example', prefix: 'site/' }],
    };
    const stored = await put(document);
    expect([stored.status, stored.headers['content-type']]).toEqual([200, 'application/json']);
    const shown = await surface.send({ path: '/pages', query: hosting });
    expect(JSON.parse(shown.text)).toEqual({ ...HOSTING_DEFAULTS, ...document });
    expect(await surface.core.ports.directory.findHost('www.shop.example')).toMatchObject({
      bucket: 'pages',
      prefix: 'site/',
    });
    for (const _ of [1, 2]) {
      expect(
        (await surface.send({ method: 'DELETE', path: '/pages', query: hosting })).status,
      ).toBe(204);
    }
    expect((await surface.send({ path: '/pages', query: hosting })).status).toBe(404);
    expect(await surface.core.ports.directory.findHost('www.shop.example')).toBe(null);
  });

  it('tell what the files of rules say', async () => {
    await put({ domains: [{ host: 'docs.shop.example', prefix: 'docs/' }] });
    const file = (key: string, body: string, headers = {}) =>
      surface.send({ method: 'PUT', path: `/pages/${key}`, body, headers });
    await file('_redirects', '/a /b\n/c\n');
    await file('docs/_headers', 'x'.repeat(131_073));
    await file('docs/_redirects', 'x', { 'content-encoding': 'gzip' });
    await file('other/_headers', '/a');
    const checked = await surface.send({ path: '/pages', query: { hosting: '', check: '' } });
    expect(JSON.parse(checked.text)).toEqual({
      files: [
        {
          key: '_redirects',
          rules: 1,
          problems: [{ line: 2, reason: 'there is no place to go to' }],
        },
        {
          key: 'docs/_headers',
          rules: 0,
          problems: [{ line: 0, reason: expect.stringContaining('131073 bytes') }],
        },
        {
          key: 'docs/_redirects',
          rules: 0,
          problems: [{ line: 0, reason: expect.stringContaining('gzip') }],
        },
      ],
    });
  });

  it("are the owner's alone", async () => {
    for (const as of ['stranger', 'nobody'] as const) {
      expect((await put({}, '/pages', as)).status).toBe(403);
      for (const method of ['GET', 'DELETE']) {
        expect((await surface.send({ method, path: '/pages', query: hosting, as })).status).toBe(
          403,
        );
      }
    }
  });

  it('say what is wrong with them, and change nothing then', async () => {
    await put({ robots: 'disallow' });
    const wrong = await put({ robots: 'maybe' });
    expect([wrong.status, codeOf(wrong.text)]).toEqual([400, 'InvalidRequest']);
    expect(wrong.text).toContain('hosting.robots must be allow or disallow');
    const large = await put({ indexDocument: 'x'.repeat(40_000) });
    expect([large.status, codeOf(large.text)]).toEqual([400, 'MaxMessageLengthExceeded']);
    const api = await put({ domains: [{ host: 'storage.example' }] });
    expect(api.text).toContain('hosting.domains[0].host');
    const shown = await surface.send({ path: '/pages', query: hosting });
    expect(JSON.parse(shown.text).robots).toBe('disallow');
  });
});

describe('a host name', () => {
  const domains = [{ host: 'www.shop.example', prefix: '' }];

  it("is one bucket's, until that gives it back", async () => {
    await put({ domains });
    const second = await put({ domains, robots: 'disallow' }, '/other');
    expect([second.status, codeOf(second.text)]).toEqual([409, 'DomainAlreadyBound']);
    expect(second.text).not.toContain('pages');
    expect((await surface.send({ path: '/other', query: hosting })).status).toBe(404);
    await surface.send({ method: 'DELETE', path: '/pages', query: hosting });
    expect((await put({ domains }, '/other')).status).toBe(200);
  });

  it('is taken from a bucket only by who saw it there', async () => {
    const isBound = async () =>
      (await surface.core.ports.directory.findHost('www.shop.example')) !== null;
    const putIf = (ifMatch: string, document = {}) =>
      surface.send({
        ...{ method: 'PUT', path: '/pages', query: hosting, body: JSON.stringify(document) },
        headers: { 'if-match': ifMatch },
      });
    const first = (await put({ domains })).headers.etag ?? '';
    expect(first).toMatch(/^"[^"]+"$/);
    const refused = await put({ robots: 'disallow' });
    expect([refused.status, codeOf(refused.text)]).toEqual([428, 'PreconditionRequired']);
    expect(refused.text).toContain('This would unbind www.shop.example:');
    expect(await isBound()).toBe(true);
    const more = [...domains, { host: 'b.shop.example', prefix: '' }];
    const { etag = '' } = (await put({ domains: more })).headers;
    expect((await surface.send({ path: '/pages', query: hosting })).headers.etag).toBe(etag);
    expect((await putIf(first)).status).toBe(412);
    expect((await putIf(first, { domains: more })).status).toBe(412);
    expect(await isBound()).toBe(true);
    expect((await putIf(etag)).status).toBe(200);
    expect(await isBound()).toBe(false);
  });

  it('is free again once its bucket is deleted, even when a crash left it bound', async () => {
    await put({ domains });
    await surface.send({ method: 'DELETE', path: '/pages' });
    expect(await surface.core.ports.directory.findHost('www.shop.example')).toBe(null);
    const gone = { id: 'pages~gone', name: 'pages' } as never;
    await surface.core.ports.directory.call('bindHosts', { bucket: gone, domains, mayTake: [] });
    expect((await put({ domains }, '/other')).status).toBe(200);
    expect(await surface.core.ports.directory.findHost('www.shop.example')).toMatchObject({
      bucket: 'other',
    });
  });
});
