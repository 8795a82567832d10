// The length of what a site answers besides its files: texts made here, error documents and
// redirects name it, for HEAD too, so that no platform has to send them in chunks.
import { expect, it } from 'vitest';
import { useSite, type Visited } from './hosting-site.ts';

const { put, configure, visit } = useSite();

const lengthOf = ({ body }: Visited) => `${new TextEncoder().encode(body).length}`;

it.each([
  ['a robots.txt', '/robots.txt', {}, 200],
  ['a list as a page', '/files/', {}, 200],
  ['a list as JSON', '/files/?format=json', {}, 200],
  ['an error document', '/none', {}, 404],
  ['a page for a failure', '/none', { errorDocument: null }, 404],
] as const)(
  '%s has its length in bytes, and none of them for HEAD',
  async (_, target, own, status) => {
    await put('404.html', 'nicht gefunden: ä');
    await put('files/größe.txt', 'x');
    await configure({ directoryListing: true, errorDocument: '404.html', ...own });

    const page = await visit(target);
    expect([page.status, page.headers['content-length']]).toEqual([status, lengthOf(page)]);
    expect(page.body).not.toBe('');
    const head = await visit(target, { method: 'HEAD' });
    expect([head.status, head.body, head.headers['content-length']]).toEqual([
      status,
      '',
      lengthOf(page),
    ]);
  },
);

it('a redirect has no byte, and says so', async () => {
  await configure({});
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await visit('/about.html', { method });
    expect([status, headers.location, headers['content-length'], body]).toEqual([
      308,
      '/about',
      '0',
      '',
    ]);
  }
});
