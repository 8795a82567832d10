// What visitors of links meet in a terminal and in a browser: lines of text, PDFs that are shown,
// and names that have no room.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { becomeSender, keysOf, makeDrop, sendFile, visit } from '../kit/drop-kit.ts';

const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');
const HTML = Buffer.from('<script>alert(1)</script>');

describeCore('a visitor of links', () => {
  const bucket = useBucket(client);

  async function share(target: object, more: object = {}): Promise<string> {
    const api = await tokenClient(client);
    const made = await api.call('POST', `/buckets/${bucket}/share-links`, { target, ...more });
    expect(made.status, JSON.stringify(made.json)).toBe(201);
    return new URL(made.json.url).pathname;
  }
  const put = (key: string, body: Buffer, type: string) =>
    client.send({ method: 'PUT', bucket, key, body, headers: { 'content-type': type } });

  it('reads one line where there is no link, and how to give a password', async () => {
    for (const path of [`/-/s/${'A'.repeat(22)}`, `/-/d/${'A'.repeat(22)}`]) {
      const { status, text, headers } = await visit('GET', path);
      expect([status, text, headers['content-type']]).toEqual([
        404,
        'There is no such link.\n',
        'text/plain; charset=utf-8',
      ]);
    }
    await put('f/secret', PDF, 'text/plain');
    const path = await share({ kind: 'object', key: 'f/secret' }, { password: 'right one' });
    const basic = (password: string) => ({
      headers: { authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}` },
    });
    expect((await visit('GET', path)).text).toBe(
      'This link has a password. Give it so: curl -u :PASSWORD\n',
    );
    expect((await visit('GET', path, basic('wrong one'))).text).toBe(
      'The password is wrong. Give it so: curl -u :PASSWORD\n',
    );
    expect((await visit('GET', path, basic('right one'))).status).toBe(200);
  });

  it('sees a PDF without a sandbox, and nothing else', async () => {
    await put('pdf/a.pdf', PDF, 'application/pdf');
    await put('pdf/lie.pdf', HTML, 'text/html');
    await put('pdf/list.pdf', HTML, 'application/pdf, text/html');
    const path = await share({ kind: 'folder', prefix: 'pdf/' });
    const policyOf = async (rest: string) => {
      const { status, headers } = await visit('GET', path + rest);
      expect([status, headers['x-content-type-options']]).toEqual([200, 'nosniff']);
      return [headers['content-disposition'], headers['content-security-policy']];
    };
    expect(await policyOf('/a.pdf?show=1')).toEqual(['inline; filename="a.pdf"', undefined]);
    const sandboxed = expect.stringMatching(/^sandbox/);
    expect(await policyOf('/a.pdf')).toEqual(['attachment; filename="a.pdf"', sandboxed]);
    for (const name of ['lie.pdf', 'list.pdf'])
      expect(await policyOf(`/${name}?show=1`)).toEqual([`inline; filename="${name}"`, sandboxed]);
  });

  it('sends two files whose name fills a key', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, {
      prefix: `${'p'.repeat(255)}/`,
      template: `{sender}/${'t'.repeat(180)}/{name}`,
      page: { name: 'required' },
    });
    const code = await becomeSender(drop, { name: 'é'.repeat(26) + 'x'.repeat(22) });
    const name = `${'f'.repeat(127)}/${'g'.repeat(128)}/${'n'.repeat(251)}.txt`;
    for (const body of ['one', 'two']) {
      const reply = await sendFile(drop, code, name, Buffer.from(body));
      expect([reply.status, reply.text]).toEqual([204, '']);
    }
    const keys = (await keysOf(bucket)).filter((key) => key.startsWith('ppp'));
    expect(keys.map((key) => Buffer.byteLength(key))).toEqual([1024, 1024]);
    expect(keys.map((key) => key.slice(-10))).toEqual(['nn (2).txt', 'nnnnnn.txt']);
  });

  it('can send no file that a release would find too long', async () => {
    const drop = await makeDrop(await tokenClient(client), bucket, {
      prefix: `${'p'.repeat(255)}/`,
      quarantine: 'q/',
      template: `${'t'.repeat(180)}/{sender}/{name}`,
      page: { name: 'required' },
    });
    const code = await becomeSender(drop, { name: '😀'.repeat(40) });
    const name = `${'f'.repeat(127)}/${'g'.repeat(128)}/${'n'.repeat(251)}.txt`;
    await expect(sendFile(drop, code, name, Buffer.from('x'))).rejects.toThrow(/KeyTooLong/);
  });
});
