// What a browser shows of a link that leads nowhere, and that nobody else gets anything but the XML
// of S3 at the same address.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { exchange } from '../kit/clients/http.ts';
import { client, describeCore, itUnless, websiteReason } from '../kit/clients/suite.ts';

const { anonymous, send, presigned, target } = client;
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'de-CH,de;q=0.9,en;q=0.8',
  'sec-fetch-dest': 'document',
};
const host = new URL(target.url).host;
const titleOf = (html: string) => /<title>(.*)<\/title>/.exec(html)?.[1];
const open = (path: string, headers: Record<string, string> = {}) =>
  exchange(target.url, { method: 'GET', target: path, headers: { host, ...BROWSER, ...headers } });

describeCore('a browser with a dead link', () => {
  const bucket = useBucket(client);
  const publicBucket = useBucket(client);

  it('to an object that is not public reads that it is not', async () => {
    await send({ method: 'PUT', bucket, key: 'private.txt', body: 'private' });
    const page = await open(`/${bucket}/private.txt`);
    expect([page.status, titleOf(page.text)]).toEqual([403, 'This is not open to you']);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain(page.headers['x-amz-request-id']);
    expect(page.text).not.toContain('private.txt');
    expect(titleOf((await open(`/${bucket}`)).text)).toBe('This is not open to you');
  });

  it('to an object that is gone reads so, in Chinese too', async () => {
    await openToEveryone(client, publicBucket);
    const page = await open(`/${publicBucket}/gone.txt`);
    expect([page.status, titleOf(page.text)]).toEqual([404, 'Nothing is here']);
    const chinese = await open(`/${publicBucket}/gone.txt`, { 'accept-language': 'zh-CN' });
    expect(titleOf(chinese.text)).toBe('这里没有内容');
    expect(titleOf((await open('/no-such-bucket-here/a')).text)).toBe('Nothing is here');
  });

  it('of a presigned URL reads that it has ended, or lost a part', async () => {
    const ended = await open(presigned({ method: 'GET', bucket, key: 'private.txt' }, '0'));
    expect([ended.status, titleOf(ended.text)]).toEqual([403, 'This link has ended']);
    expect(ended.text).toContain(' UTC</time>');
    const url = presigned({ method: 'GET', bucket, key: 'private.txt' });
    const broken = await open(url.slice(0, -4));
    expect([broken.status, titleOf(broken.text)]).toEqual([403, 'This link is not complete']);
    expect((await open(url)).text).toBe('private');
  });

  it('gets the same status and reference as everybody, and no page in an image', async () => {
    for (const headers of [{ accept: '*/*' }, { 'sec-fetch-dest': 'image' }]) {
      const { status, text } = await open(`/${bucket}/private.txt`, headers);
      expect([status, text]).toEqual([403, expect.stringContaining('<Code>AccessDenied</Code>')]);
    }
    const plain = await anonymous({ method: 'GET', bucket, key: 'private.txt' });
    expect(plain.headers['content-type']).toBe('application/xml');
    const signed = await send({ method: 'GET', bucket, key: 'none', headers: BROWSER });
    expect(signed.text).toContain('<Code>NoSuchKey</Code>');
  });

  itUnless(websiteReason)('of a website gets what websites have', async () => {
    const page = await open('/none.html', { host: `${publicBucket}.${target.websiteDomain}` });
    expect(page.text).toContain('<h1>404 Not Found</h1>');
  });
});
