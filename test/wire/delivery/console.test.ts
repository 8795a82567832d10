// The web console over the wire, as far as it is built here, and the browser that opens the
// service itself. What S3 clients get at the same addresses must not change.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { CONSOLE_FOLDER } from '../../../scripts/console-folder.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { anonymous, target } = client;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

type Entry = { digest: string; br: boolean; gz: boolean; type: string };

/** The files of the build; null: there is none, or it is not the one of this server. */
function readList(): Readonly<Record<string, Entry>> | null {
  const path = join(CONSOLE_FOLDER, 'files.json');
  if (!target.isTemporary || !existsSync(path)) return null;
  return JSON.parse(readFileSync(path, 'utf8')).files;
}

const list = readList();
const request = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  anonymous({ method, path, headers });
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const decoded = (bytes: Buffer, coding: string | undefined) =>
  coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;

describeCore('the console', () => {
  it('has a page, or says how to build one', async () => {
    const { status, text, headers } = await request('/-/console/buckets/none');
    expect(headers['x-content-type-options']).toBe('nosniff');
    if (list !== null) expect(status).toBe(200);
    if (status === 200) {
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      // Stored objects are of this origin too: its scripts are none of the console's.
      const { host } = new URL(target.url);
      const policy = `default-src 'none'; script-src ${host}/-/console/assets/;`;
      expect(headers['content-security-policy']?.slice(0, policy.length)).toBe(policy);
      expect(headers['cache-control']).toMatch(/^no-cache/);
    } else {
      expect([status, text]).toEqual([503, expect.stringContaining('build-console.ts')]);
    }
  });

  it('is asked for with the slash', async () => {
    const { status, headers } = await request('/-/console');
    expect([status, headers.location]).toEqual([308, '/-/console/']);
  });

  it('gives each file of the build in each coding, whole', async () => {
    const answers: unknown[] = [];
    const expected: unknown[] = [];
    for (const [path, { digest, type, br, gz }] of Object.entries(list ?? {})) {
      for (const coding of ['br', 'gzip', 'identity']) {
        const reply = await request(`/-/console/${path}`, { 'accept-encoding': coding });
        const sent = reply.headers['content-encoding']?.toLowerCase();
        const { status, headers, body } = reply;
        const length = Number(headers['content-length'] ?? body.length);
        answers.push([path, status, sent, headers['content-type'], digestOf(decoded(body, sent))]);
        expect([path, length]).toEqual([path, body.length]);
        const has = (coding === 'br' && br) || (coding === 'gzip' && gz);
        expected.push([path, 200, has ? coding : undefined, type, digest]);
      }
    }
    expect(answers).toEqual(expected);
  });

  it('answers 304 to whoever has the page, and 200 without a body to HEAD', async () => {
    const page = await request('/-/console/', { 'accept-encoding': 'br' });
    const head = await request('/-/console/', { 'accept-encoding': 'br' }, 'HEAD');
    expect([head.status, head.body.length]).toEqual([page.status, 0]);
    const etag = page.headers.etag ?? '';
    const again = await request('/-/console/', {
      'accept-encoding': 'br',
      'if-none-match': etag,
    });
    expect([again.status, again.body.length > 0]).toEqual(
      page.status === 200 ? [304, false] : [503, true],
    );
  });

  it('takes no other method', async () => {
    const { status, headers } = await request('/-/console/', {}, 'POST');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describeCore('the root of the service', () => {
  it('sends a browser to the console', async () => {
    const { status, headers } = await request('/', { accept: BROWSER });
    expect([status, headers.location]).toEqual([302, '/-/console/']);
  });

  it.each([{}, { accept: '*/*' }, { accept: 'application/xml' }])(
    'is S3 for a client with %j',
    async (headers) => {
      const { status, text } = await request('/', headers);
      expect([status, text]).toEqual([403, expect.stringContaining('<Code>AccessDenied</Code>')]);
    },
  );

  it('is S3 for a signed request, whatever it accepts', async () => {
    const { status, text } = await client.send({ method: 'GET', headers: { accept: BROWSER } });
    expect([status, text]).toEqual([200, expect.stringContaining('<ListAllMyBucketsResult')]);
  });
});
