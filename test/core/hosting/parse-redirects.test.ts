// The parser of `_redirects`.
import { describe, expect, it } from 'vitest';
import { parseRedirects } from '../../../src/core/hosting/parse-redirects.ts';

const find = (text: string, path: string) => {
  const rules = parseRedirects(text);
  const firm = rules.findFirm(path);
  const found = firm ?? rules.findWeak(path);
  if (found === null) return null;
  const { rule, captures } = found;
  return [firm === null ? 'weak' : 'firm', rule.status, rule.to, captures];
};

describe('a line of _redirects', () => {
  const table: [line: string, path: string, expected: unknown][] = [
    ['/a /b', '/a', ['firm', 302, '/b', {}]],
    ['/a /b', '/a/', ['firm', 302, '/b', {}]],
    ['/a/ /b', '/a', ['firm', 302, '/b', {}]],
    ['/a /b', '/a/c', null],
    ['/a /b', '/A', null],
    ['  /a\t/b   301  # moved', '/a', ['firm', 301, '/b', {}]],
    ['/a https://other.example/x?y=z 308', '/a', ['firm', 308, 'https://other.example/x?y=z', {}]],
    [
      '/a/* https://x.example:8443/:splat',
      '/a/b',
      ['weak', 302, 'https://x.example:8443/:splat', { splat: 'b' }],
    ],
    ['/caf%C3%A9 /b', '/café', ['firm', 302, '/b', {}]],
    ['/café /b', '/café', ['firm', 302, '/b', {}]],
    ['/100% /b', '/100%', ['firm', 302, '/b', {}]],
    ['/blog/* /news/:splat 301', '/blog/a/b', ['weak', 301, '/news/:splat', { splat: 'a/b' }]],
    ['/blog/* /news/:splat 301', '/blog', ['weak', 301, '/news/:splat', { splat: '' }]],
    ['/blog/* /news/:splat 301', '/blogs', null],
    ['/blog/* /news/:splat 301!', '/blog/a', ['firm', 301, '/news/:splat', { splat: 'a' }]],
    ['/* /index.html 200', '/any/where', ['weak', 200, '/index.html', { splat: 'any/where' }]],
    ['/* /index.html 200', '/', ['weak', 200, '/index.html', { splat: '' }]],
    ['/a*z /b', '/a/b/z', ['weak', 302, '/b', { splat: '/b/' }]],
    [
      '/news/:year/:month /archive/:year-:month 200',
      '/news/2026/11',
      ['firm', 200, '/archive/:year-:month', { year: '2026', month: '11' }],
    ],
    ['/news/:year /a', '/news/2026/11', null],
    ['/news/:year /a', '/news/', null],
    ['/u/:id.html /user 200', '/u/7.html', ['firm', 200, '/user', { id: '7' }]],
    ['/secret/* /404.html 404', '/secret/a', ['weak', 404, '/404.html', { splat: 'a' }]],
    ['/a.b /c', '/axb', null],
  ];
  it.each(table)('%s for %s', (line, path, expected) => {
    expect(find(line, path)).toEqual(expected);
  });

  const refused: [line: string, reason: string][] = [
    ['/a', 'no place to go to'],
    ['a /b', 'must begin with a slash'],
    ['https://x.example/a /b', 'must be a path, not a URL'],
    ['/a b', 'must be a path or a URL'],
    ['/a //evil.example', 'must be a path or a URL'],
    ['/a javascript:alert(1)', 'must be a path or a URL'],
    ['/a /b 999', '"999" is none of 200, 301'],
    ['/a /b soon', '"soon" is none of'],
    ['/a id=:id /b', 'query parameters'],
    ['/a /b 302 Country=de', 'conditions'],
    ['/a /b Country=de', 'conditions'],
    ['/out/* https://:splat/', 'a host must be written out'],
    ['/a/* HTTPS://x.example:splat', 'a host must be written out'],
    ['/a/:b https://x.example:b@y.example/', 'a host must be written out'],
    ['/a https://x.example/ 200', "a 200 can't show another site"],
    ['/a/*/b/* /c', 'one * only'],
    ['/:a:b /c', 'one placeholder only'],
    ['/*a:b-c /d', 'a * or a placeholder, not both'],
    ['/a/:b*/c /d', 'a * or a placeholder, not both'],
    ['/:a/:a /c', 'a name of its own'],
    ['/:splat /c', 'a name of its own'],
    [`/${':a/'.repeat(11)} /c`, '10 placeholders'],
    [`/${'a'.repeat(2100)} /c`, 'longer than 2000'],
  ];
  it.each(refused)('%s is left out', (line, reason) => {
    const rules = parseRedirects(`/before /x\n\n# comment\n${line}\n/after /x`);
    expect(rules.problems).toEqual([{ line: 4, reason: expect.stringContaining(reason) }]);
    expect(rules.count).toBe(2);
  });
});

describe('a file of _redirects', () => {
  it('counts the first rule of a path, and those for one path before those with a star', () => {
    expect(find('/a /1\n/a /2', '/a')?.[2]).toBe('/1');
    expect(find('/* /1 301!\n/:x /2', '/a')?.[2]).toBe('/1');
    expect(find('/* /1\n/a /2', '/a')?.[2]).toBe('/2');
    expect(find('/*\u0020/1\r\n/b/* /2\r\n', '/b/c')?.[2]).toBe('/1');
  });

  it('has bounds', () => {
    const statics = Array.from({ length: 2005 }, (_, i) => `/s${i} /x`).join('\n');
    const dynamic = Array.from({ length: 105 }, (_, i) => `/d${i}/* /x`).join('\n');
    const rules = parseRedirects(`${statics}\n${dynamic}`);
    expect(rules.count).toBe(2100);
    expect(rules.problems).toHaveLength(10);
    expect(parseRedirects(Array(500).fill('x y').join('\n')).problems).toHaveLength(51);
  });

  it('matches in time, whatever the pattern and the path', () => {
    const names = Array.from({ length: 10 }, (_, i) => `a:p${i}a`).join('/');
    const rules = parseRedirects(
      Array.from({ length: 100 }, (_, i) => `/*/${names}/${i} /x`).join('\n'),
    );
    expect(rules.count).toBe(100);
    const before = process.cpuUsage().user;
    expect(rules.findWeak(`/${'a/aa'.repeat(250)}`)).toBe(null);
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
  });
});
