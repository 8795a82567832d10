// Share links as programs use them: files with ranges, folders as ZIPs, passwords, exact limits,
// and what counts nothing.
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { readZip } from '../kit/read-zip.ts';
import {
  breakOff,
  from,
  open,
  ownAddress,
  PREVIEWS,
  untilFree,
  untilStatus,
  useShares,
} from '../kit/share-kit.ts';

const { s3 } = client;

/** Time for a dozen passwords on a busy machine, milliseconds. */
const PASSWORDS_MS = 120_000;
const LARGE = sampleBytes(3 * 1024 * 1024 + 5, 1);
const SMALL = sampleBytes(1000, 2);

describeCore('a share link', () => {
  const Bucket = useBucket(client);
  const shares = useShares(Bucket);
  const { make, usage, change, pathOf } = shares;
  const ofObject = (more: object = {}, key = 'a/Ünïcode 1.bin') => shares.ofObject(key, more);
  const limits = (downloads: number) => ({ limits: { downloads } });

  beforeAll(async () => {
    const put = (Key: string, Body: Buffer, ContentType = 'application/octet-stream') =>
      s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }));
    await put('a/Ünïcode 1.bin', LARGE);
    await put('a/small', SMALL);
    await put('a/sub/deep.txt', SMALL, 'text/html');
    await put('a/empty', Buffer.alloc(0));
    await put('secret', SMALL);
  });

  describe('to an object', () => {
    it('gives programs the file of a private bucket, under its name', async () => {
      const { url } = await ofObject();
      const reply = await open(url);
      expect([reply.status, reply.bytes.equals(LARGE)]).toEqual([200, true]);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'content-disposition':
          'attachment; filename="_n_code 1.bin"; ' + "filename*=UTF-8''%C3%9Cn%C3%AFcode%201.bin",
        'cache-control': 'private, no-cache',
        'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-length': `${LARGE.length}`,
      });
      const named = await open(`${url}/${encodeURIComponent('Ünïcode 1.bin')}`);
      expect(named.bytes.equals(LARGE)).toBe(true);
      expect((await open(`${url}/small`)).status).toBe(404);
    });

    it('serves ranges, conditions and If-Range as a public object', async () => {
      const { url } = await ofObject();
      const whole = await open(url, {}, { method: 'HEAD' });
      expect([whole.status, whole.headers.get('content-length')]).toEqual([200, `${LARGE.length}`]);
      const etag = whole.headers.get('etag') ?? '';
      const part = await open(url, { range: 'bytes=5-104', 'if-range': etag });
      expect([part.status, part.bytes.equals(LARGE.subarray(5, 105))]).toEqual([206, true]);
      expect((await open(url, { range: 'bytes=5-104', 'if-range': '"x"' })).status).toBe(200);
      expect((await open(url, { 'if-none-match': etag })).status).toBe(304);
      expect((await open(url, { 'if-match': '"x"' })).status).toBe(412);
      expect((await open(url, { range: `bytes=${LARGE.length}-` })).status).toBe(416);
    });

    it('ends when it is revoked or expires, and lives again when it is revived', async () => {
      const { id, url } = await ofObject({}, 'a/small');
      expect((await open(url)).status).toBe(200);
      await change(id, { isRevoked: true });
      expect((await untilStatus(url, 410)).status).toBe(410);
      await change(id, {
        isRevoked: false,
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      });
      expect((await untilStatus(url, 200)).status).toBe(200);
      await change(id, { expiresAt: new Date(Date.now() - 1000).toISOString() });
      expect((await untilStatus(url, 410)).status).toBe(410);
      const history = await shares.api().call('GET', `${pathOf(id)}/history`);
      const actions = history.json.items.map(({ action }: { action: string }) => action);
      expect(actions).toEqual(['changed', 'revived', 'revoked', 'created']);
      await shares.api().call('DELETE', pathOf(id));
      expect((await untilStatus(url, 404)).status).toBe(404);
    });

    it('has labels that are revoked one by one', async () => {
      const { id, url } = await ofObject({}, 'a/small');
      const path = `${pathOf(id)}/labels`;
      const label = (await shares.api().call('POST', path, { name: 'Jürgen' })).json;
      const reply = await untilStatus(label.url, 200);
      expect(reply.status).toBe(200);
      await shares.api().call('PATCH', `${path}/${label.id}`, { isRevoked: true });
      const gone = await untilStatus(label.url, 410);
      expect([gone.status, (await open(url)).status]).toEqual([410, 200]);
    });

    it('lets in whom it is for, by address', async () => {
      const { url } = await ofObject({ audience: { addresses: ['203.0.113.0/24'] } }, 'a/small');
      const inside = await open(url, from('203.0.113.9'));
      const outside = await open(url, from('198.51.100.1'));
      const expected = client.target.isTemporary ? [200, 403] : [403, 403];
      expect([inside.status, outside.status]).toEqual(expected);
    });
  });

  describe('with a password', () => {
    it('takes it by HTTP Basic with any name, and by a form for a ticket', async () => {
      const { url } = await ofObject({ password: 'pässword: 1' }, 'a/small');
      const closed = await open(url, from(ownAddress()));
      expect([closed.status, closed.headers.get('www-authenticate')]).toEqual([
        401,
        'Basic realm="link", charset="UTF-8"',
      ]);
      const basic = (password: string) => ({
        authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}`,
      });
      expect((await open(url, basic('pässword: 1'))).status).toBe(200);
      expect((await open(url, basic('password: 1'))).status).toBe(401);

      const form = (password: string) =>
        open(
          url,
          { 'content-type': 'application/x-www-form-urlencoded' },
          {
            method: 'POST',
            body: new URLSearchParams({ password }).toString(),
          },
        );
      const reply = await form('pässword: 1');
      expect(reply.status).toBe(303);
      const location = reply.headers.get('location') ?? '';
      expect(location).toMatch(/\?t=/);
      const withTicket = new URL(location, url);
      expect((await open(withTicket.href)).status).toBe(200);
      withTicket.searchParams.set('t', `${withTicket.searchParams.get('t')}0`);
      expect((await open(withTicket.href)).status).toBe(401);
    });

    it(
      'has ten wrong ones from one source, then waits',
      async () => {
        const { url } = await ofObject({ password: 'right one' }, 'a/small');
        const source = from(ownAddress());
        const tried = async (password: string) => {
          const authorization = `Basic ${Buffer.from(`x:${password}`).toString('base64')}`;
          return (await open(url, { ...source, authorization })).status;
        };
        const statuses: number[] = [];
        // On a busy machine tries take so long that some come back meanwhile.
        while (statuses.length < 40 && !statuses.includes(429))
          statuses.push(await tried(`wrong ${statuses.length}`));
        expect(statuses.slice(0, 10)).toEqual(new Array(10).fill(401));
        expect(statuses).toContain(429);
      },
      PASSWORDS_MS,
    );
  });

  describe('with limits', () => {
    it('gives a hundred at once ten whole downloads', async () => {
      const { id, url } = await ofObject(limits(10));
      const all = await Promise.all(Array.from({ length: 100 }, () => open(url)));
      const whole = all.filter(({ status, bytes }) => status === 200 && bytes.equals(LARGE));
      expect(whole.length).toBe(10);
      // A crowded index may refuse some by itself.
      const refused = all.filter(({ status }) => [410, 429, 503].includes(status));
      expect(refused.length).toBe(90);
      await expect.poll(() => usage(id)).toEqual({ downloads: 10, bytes: `${10 * LARGE.length}` });
      expect((await open(url)).status).toBe(410);
    });

    it('counts a download in 37 ranges with three breaks once', async () => {
      const { id, url } = await ofObject(limits(1));
      const step = Math.ceil(LARGE.length / 37);
      const parts: Buffer[] = [];
      for (let at = 0; at < 37; at++) {
        const start = at * step;
        const end = Math.min(start + step, LARGE.length);
        const range = `bytes=${start}-${end - 1}`;
        if (at % 12 === 6) await breakOff(url, { range });
        const reply = await untilFree(() => open(url, { range }));
        expect(reply.status).toBe(206);
        parts.push(reply.bytes);
      }
      expect(Buffer.concat(parts).equals(LARGE)).toBe(true);
      await expect.poll(async () => (await usage(id)).downloads).toBe(1);
      await expect.poll(async () => (await open(url)).status).toBe(410);
    });

    it('counts no HEAD, no 304, no preview of a chat program', async () => {
      const { id, url } = await ofObject(limits(1), 'a/small');
      const etag = (await open(url, {}, { method: 'HEAD' })).headers.get('etag') ?? '';
      for (const agent of PREVIEWS)
        expect((await open(url, { 'user-agent': agent })).status).toBe(200);
      expect((await open(url, { 'if-none-match': etag })).status).toBe(304);
      expect(await usage(id)).toEqual({ downloads: 0, bytes: '0' });
      expect((await open(url)).bytes.equals(SMALL)).toBe(true);
      await expect.poll(async () => (await usage(id)).downloads).toBe(1);
      expect((await open(url, {}, { method: 'HEAD' })).status).toBe(410);
    });

    it('takes an empty file for a download', async () => {
      const { id, url } = await ofObject(limits(1), 'a/empty');
      expect((await open(url)).status).toBe(200);
      await expect.poll(async () => (await usage(id)).downloads).toBe(1);
    });

    it('may end by bytes', async () => {
      const { url } = await ofObject({ limits: { bytes: '2500' } }, 'a/small');
      expect((await open(url)).status).toBe(200);
      expect((await untilFree(() => open(url))).status).toBe(200);
      await expect.poll(async () => (await open(url)).status).toBe(410);
    });
  });

  describe('to a folder', () => {
    const folder = () => make({ target: { kind: 'folder', prefix: 'a/' } });

    it('gives its files by their paths, and nothing beside it', async () => {
      const { url } = await folder();
      expect((await open(`${url}/small`)).bytes.equals(SMALL)).toBe(true);
      const deep = await open(`${url}/sub/deep.txt`);
      expect([deep.status, deep.headers.get('content-security-policy')]).toEqual([
        200,
        expect.stringMatching(/^sandbox;/),
      ]);
      expect((await open(`${url}/..%2Fsecret`)).status).toBe(404);
      expect((await open(`${url}?file=../secret`)).status).toBe(404);
      expect((await open(`${url}/none`)).status).toBe(404);
    });

    it('gives programs its ZIP, with its exact length, or of what they pick', async () => {
      const { url } = await folder();
      const head = await open(url, {}, { method: 'HEAD' });
      const zip = await open(url);
      expect(head.headers.get('content-length')).toBe(`${zip.bytes.length}`);
      const names = (bytes: Buffer) =>
        readZip(bytes)
          .map(({ name }) => name)
          .toSorted();
      expect(names(zip.bytes)).toEqual(['empty', 'small', 'sub/deep.txt', 'Ünïcode 1.bin']);
      const picked = await open(`${url}?zip&pick=small&pick=sub/`);
      expect(names(picked.bytes)).toEqual(['small', 'sub/deep.txt']);
      const body = new URLSearchParams([['pick', 'empty']]).toString();
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const posted = await open(`${url}?zip`, type, { method: 'POST', body });
      expect(names(posted.bytes)).toEqual(['empty']);
      expect((await open(`${url}/sub/?zip`)).status).toBe(200);
    });

    it('counts a ZIP as one download', async () => {
      const { id, url } = await make({ target: { kind: 'folder', prefix: 'a/' }, ...limits(1) });
      expect((await open(url)).status).toBe(200);
      await expect.poll(async () => (await usage(id)).downloads).toBe(1);
      expect((await open(`${url}/small`)).status).toBe(410);
    });
  });

  it('to some objects gives these and no others', async () => {
    const keys = ['a/small', 'a/sub/deep.txt'];
    const { url } = await make({ target: { kind: 'keys', keys } });
    expect((await open(`${url}/sub/deep.txt`)).bytes.equals(SMALL)).toBe(true);
    expect((await open(`${url}/empty`)).status).toBe(404);
    const names = readZip((await open(url)).bytes).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['small', 'sub/deep.txt']);
    expect((await open(`${url}?zip&pick=empty`)).status).toBe(404);
  });

  it('is listed in its bucket and in its account, and revoked with its folder', async () => {
    const { id, url } = await make({ target: { kind: 'folder', prefix: 'b/c/' }, note: 'mine' });
    const ids = (json: { items: { id: string }[] }) => json.items.map((each) => each.id);
    expect(ids((await shares.api().call('GET', `/buckets/${Bucket}/share-links`)).json)).toContain(
      id,
    );
    expect(ids((await shares.api().call('GET', '/links?kind=share&limit=1000')).json)).toContain(
      id,
    );
    expect(ids((await shares.api().call('GET', '/links?kind=drop&limit=1000')).json)).not.toContain(
      id,
    );
    const revoke = await shares.api().call('POST', `/buckets/${Bucket}/share-links/revoke`, {
      prefix: 'b/',
    });
    expect(revoke.json).toEqual({ revoked: 1 });
    expect((await untilStatus(url, 410)).status).toBe(410);
  });
});
