// Headers of link pages: what a browser may load, who may frame and remember them; and the surface
// of their files.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryConsoleFiles } from '../../../../src/adapters/memory/memory-console-files.ts';
import { createLinkFiles } from '../../../../src/http/links/page/link-files.ts';
import { type SentPage, sendPage } from '../../../../src/http/links/page/send-page.ts';
import { CONSOLE_FILES } from '../../console/console-fixture.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';
import { FILES, samplePage } from './page-sample.ts';

const send = (parts: Partial<SentPage> = {}, host = 'files.example', method = 'GET') => {
  const request = makeRequest({ method, target: '/-/s/x', headers: { host } });
  const sent: SentPage = {
    status: 200,
    page: samplePage(),
    needs: [],
    isSecret: false,
    ...parts,
  };
  return sendPage(request, sent, 'request-1');
};
const policyOf = (response: Response) =>
  new Map(
    (response.headers.get('content-security-policy') ?? '')
      .split('; ')
      .map((part) => [part.split(' ', 1)[0] ?? '', part.slice(part.indexOf(' ') + 1)]),
  );

describe('a link page as it is sent', () => {
  it('may load its own two files, and is framed and indexed by nobody', () => {
    const { headers, status } = send({ status: 404 });
    expect(status).toBe(404);
    expect([...policyOf(send())]).toEqual([
      ['default-src', "'none'"],
      ['style-src', `files.example${FILES.style}`],
      ['script-src', `files.example${FILES.script}`],
      ['img-src', `files.example${FILES.icon} data:`],
      ['form-action', "'self'"],
      ['base-uri', "'none'"],
      ['frame-ancestors', "'none'"],
      ['require-trusted-types-for', "'script'"],
      ['trusted-types', "'none'"],
    ]);
    for (const [name, value] of [
      ['x-frame-options', 'DENY'],
      ['x-robots-tag', 'noindex'],
      ['referrer-policy', 'no-referrer'],
      ['x-content-type-options', 'nosniff'],
      ['cache-control', 'private, no-cache'],
      ['content-language', 'en'],
      ['set-cookie', null],
    ] as const)
      expect([name, headers.get(name)]).toEqual([name, value]);
  });

  it('may show and send what it needs, and no more', () => {
    const policy = policyOf(send({ needs: ['images', 'media', 'requests'] }));
    for (const directive of ['img-src', 'media-src', 'connect-src'])
      expect([directive, policy.get(directive)]).toEqual([directive, "'self'"]);
    expect(policyOf(send()).has('connect-src')).toBe(false);
  });

  it("allows the owner's colour by its digest", async () => {
    const brand = { name: 'A', logoHref: null, colour: '#aa0000' };
    const response = send({ page: samplePage({ brand }) });
    const [, style = ''] = /<style>(.*?)<\/style>/.exec(await response.text()) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(style).toContain('--water:#aa0000');
    expect(policyOf(response).get('style-src')).toBe(
      `files.example${FILES.style} 'sha256-${digest}'`,
    );
  });

  it('is stored by nobody where it carries what lets in, and says when to come again', () => {
    const { headers } = send({ isSecret: true, retryAfterSeconds: 30 });
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('retry-after')).toBe('30');
  });

  it('has a policy for hosts that a policy cannot name, too', () => {
    expect(policyOf(send({}, '[::1]:8787')).get('script-src')).toBe("'self'");
  });

  it('is headers alone to HEAD', async () => {
    const head = send({}, 'files.example', 'HEAD');
    const page = send();
    expect(await head.text()).toBe('');
    expect(head.headers.get('content-length')).toBe(`${(await page.arrayBuffer()).byteLength}`);
  });
});

const [style = CONSOLE_FILES.get('assets/main-4f2a.js')] = [CONSOLE_FILES.get('favicon.svg')];
if (style === undefined) throw new Error('The fixture has no file');
const built = createLinkFiles(
  createMemoryConsoleFiles(
    new Map([...CONSOLE_FILES, ['links/style-a_1-B.css', style], ['links/share-x.js', style]]),
  ),
);
const ask = (name: string, method = 'GET') =>
  built.answer(makeRequest({ method, target: '/' }), name, 'request-1');

describe('the files of the link pages', () => {
  it('are found by their names, and those that were not built are null', async () => {
    expect(await built.filesOf('share')).toEqual({
      style: '/-/link-files/style-a_1-B.css',
      script: '/-/link-files/share-x.js',
      icon: null,
      picture: null,
    });
    expect((await built.filesOf('drop')).script).toBeNull();
    const none = createLinkFiles({ open: async () => null });
    expect((await none.filesOf('share')).style).toBeNull();
  });

  it('are sent for good', async () => {
    const { status, headers } = await ask('style-a_1-B.css');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('are nothing else, and only read', async () => {
    for (const name of ['', '../index.html', '%2e%2e/index.html', 'none.js'])
      await expect(ask(name)).rejects.toMatchObject({ code: 'NoSuchResource' });
    await expect(ask('share-x.js', 'POST')).rejects.toMatchObject({ code: 'MethodNotAllowed' });
  });
});
