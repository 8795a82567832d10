// Host names of a customer's own, bound to a bucket or to a folder of one. The requests carry them
// in Host, as they would come from a browser once DNS points here.
import { afterAll, beforeAll, expect } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { client, describeCore, itUnless, virtualHostReason } from '../kit/clients/suite.ts';
import { eventually } from '../kit/eventually.ts';

const { send, anonymous, presigned } = client;
const it = itUnless(virtualHostReason);

describeCore('a custom domain', () => {
  const bucket = useBucket(client);
  const host = `www.${bucket}.example`;
  const docsHost = `docs.${bucket}.example`;
  const visit = (path: string, at = host, headers: Record<string, string> = {}, method = 'GET') =>
    anonymous({ method, path, host: at, headers });
  const configure = (document: object, of = bucket) =>
    send({ method: 'PUT', bucket: of, query: { hosting: '' }, body: JSON.stringify(document) });
  const DOMAINS = [{ host }, { host: docsHost, prefix: 'docs/' }];

  beforeAll(async () => {
    for (const key of ['index.html', 'page.html', 'docs/index.html', 'docs/a b.html']) {
      const headers = { 'content-type': 'text/html' };
      expect((await send({ method: 'PUT', bucket, key, body: `<p>${key}`, headers })).status).toBe(
        200,
      );
    }
    await openToEveryone(client, bucket);
    expect((await configure({ domains: DOMAINS })).status).toBe(200);
    await eventually(
      () => visit('/'),
      ({ text }) => text === '<p>index.html',
    );
  });
  afterAll(async () => {
    await send({ method: 'DELETE', bucket, query: { hosting: '' } });
  });

  it('shows the bucket, or a folder of it, and nothing else', async () => {
    for (const [path, at, text] of [
      ['/', host, '<p>index.html'],
      ['/page', `${host}:8443`, '<p>page.html'],
      ['/docs/', host.toUpperCase(), '<p>docs/index.html'],
      ['/', docsHost, '<p>docs/index.html'],
      ['/a%20b', docsHost, '<p>docs/a b.html'],
    ] as const) {
      const page = await visit(path, at);
      expect([page.status, page.text], `${at}${path}`).toEqual([200, text]);
    }
    for (const path of [`/${bucket}/page.html`, '/-/health'])
      expect((await visit(path)).status, path).toBe(404);
    for (const path of ['/page.html', '/../page.html', '/%2e%2e/page.html']) {
      expect((await visit(path, docsHost)).status, path).not.toBe(200);
    }
  });

  it('has an origin of its own: pages may run scripts', async () => {
    expect((await visit('/')).headers).not.toHaveProperty('content-security-policy');
    const shared = await anonymous({ method: 'GET', bucket, key: 'index.html' });
    expect(shared.headers['content-security-policy']).toBe('sandbox');
  });

  it("is one bucket's", async () => {
    const other = `${bucket.slice(0, 50)}-other`;
    expect((await send({ method: 'PUT', bucket: other })).status).toBe(200);
    const refused = await configure({ domains: [{ host }] }, other);
    expect([refused.status, refused.text.includes('DomainAlreadyBound')]).toEqual([409, true]);
    expect((await send({ method: 'DELETE', bucket: other })).status).toBe(204);
  });

  it(
    'serves presigned URLs under its own name, of ' +
      'private buckets too, and takes signed requests',
    async () => {
      expect((await send({ method: 'DELETE', bucket, query: { policy: '' } })).status).toBe(204);
      const open = async (call: { path: string; at: string; method?: string; body?: string }) => {
        const { path, at, method = 'GET', body } = call;
        const [presignedPath = '', sentQuery = ''] = presigned({ method, path, host: at }).split(
          /\?(.*)/s,
        );
        return anonymous({
          method,
          path: presignedPath,
          sentQuery,
          host: at,
          ...(body === undefined ? {} : { body }),
        });
      };
      const page = await open({ path: '/page.html', at: host });
      expect([page.status, page.text]).toEqual([200, '<p>page.html']);
      expect(page.headers).not.toHaveProperty('content-security-policy');
      const inFolder = await open({ path: '/a%20b.html', at: docsHost });
      expect(inFolder.text).toBe('<p>docs/a b.html');
      expect(
        (await open({ path: '/new.txt', at: docsHost, method: 'PUT', body: 'new' })).status,
      ).toBe(200);
      expect((await send({ method: 'GET', bucket, key: 'docs/new.txt' })).text).toBe('new');
      const listing = await send({
        method: 'GET',
        path: '/',
        host,
        query: { 'list-type': '2', prefix: 'docs/n' },
      });
      expect(listing.text).toContain('<Key>docs/new.txt</Key>');
      const wrong = await anonymous({
        method: 'GET',
        path: '/page.html',
        host,
        query: { 'X-Amz-Signature': 'x' },
      });
      expect(wrong.status).toBe(400);
      await openToEveryone(client, bucket);
      await eventually(
        () => visit('/'),
        ({ status }) => status === 200,
      );
    },
  );

  it('leaves every other host to S3', async () => {
    for (const at of [
      `www.${bucket}.example.com`,
      `x.${host}`,
      'localhost:9000',
      's3.other.example',
    ]) {
      const reply = await send({ method: 'GET', bucket, key: 'page.html', host: at });
      expect([reply.status, reply.text], at).toEqual([200, '<p>page.html']);
    }
  });

  it('ends with its settings', async () => {
    const left = JSON.stringify({ domains: [{ host: docsHost, prefix: 'docs/' }] });
    const unbind = (headers: Record<string, string>) =>
      send({ method: 'PUT', bucket, query: { hosting: '' }, body: left, headers });
    const refused = await unbind({});
    expect([refused.status, refused.text.includes(`This would unbind ${host}:`)]).toEqual([
      428,
      true,
    ]);
    const { etag = '' } = (await send({ method: 'GET', bucket, query: { hosting: '' } })).headers;
    expect((await unbind({ 'if-match': etag })).status).toBe(200);
    const over = await eventually(
      () => visit('/'),
      ({ status }) => status === 403,
    );
    // Now it is a host like any other: the service itself, which wants a signature.
    expect(over.status).toBe(403);
    expect((await visit('/', docsHost)).status).toBe(200);
    await configure({ domains: DOMAINS });
    const back = await eventually(
      () => visit('/'),
      ({ status }) => status === 200,
    );
    expect(back.text).toBe('<p>index.html');
  });
});
