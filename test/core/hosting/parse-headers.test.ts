// The parser of `_headers`.
import { describe, expect, it } from 'vitest';
import { parseHeaders } from '../../../src/core/hosting/parse-headers.ts';
import { RULE_LINE_MAX_LENGTH } from '../../../src/core/hosting/rule-lines.ts';

const FILE = `# everything
/*
  X-Robots-Tag: noindex
  Link: </a.css>; rel=preload
  Cache-Control: max-age=60

/docs/*
\tLink:</b.css>; rel=preload
  ! Cache-Control

/users/:name
  X-User: :name of :splat

/assets/app.js
  cache-control: immutable
`;

describe('_headers', () => {
  const rules = parseHeaders(FILE);
  const table: [path: string, added: Record<string, string>, removed: string[]][] = [
    [
      '/',
      { 'x-robots-tag': 'noindex', link: '</a.css>; rel=preload', 'cache-control': 'max-age=60' },
      [],
    ],
    [
      '/docs/a',
      { 'x-robots-tag': 'noindex', link: '</a.css>; rel=preload, </b.css>; rel=preload' },
      ['cache-control'],
    ],
    [
      '/users/J ü\r\n',
      {
        'x-robots-tag': 'noindex',
        link: '</a.css>; rel=preload',
        'cache-control': 'max-age=60',
        'x-user': 'J%20%C3%BC%0D%0A of :splat',
      },
      [],
    ],
    [
      '/assets/app.js',
      {
        'x-robots-tag': 'noindex',
        link: '</a.css>; rel=preload',
        'cache-control': 'max-age=60, immutable',
      },
      [],
    ],
  ];
  it.each(table)('gives its changes for %j', (path, added, removed) => {
    const changes = rules.changesFor(path);
    expect([Object.fromEntries(changes.added), changes.removed]).toEqual([added, removed]);
    expect(rules.problems).toEqual([]);
  });

  it('may take headers away and add none', () => {
    const { changesFor } = parseHeaders('/a\n  ! Cache-Control\n/b\n  ! Cache-Control\n  ! X');
    expect(changesFor('/a')).toEqual({ added: [], removed: ['cache-control'] });
    expect(changesFor('/b')).toEqual({ added: [], removed: ['cache-control', 'x'] });
  });

  it('gives the same object for the same changes, as answers are kept with it', () => {
    expect(rules.changesFor('/a')).toBe(rules.changesFor('/b'));
    expect(rules.changesFor('/docs/a')).not.toBe(rules.changesFor('/b'));
  });

  it.each([
    ['  X: y', 'there is no path above it'],
    ['/a\n  X-Quayside-Receipt: class=free', "x-quayside-receipt can't be set here"],
    ['/a\n  X y', 'no "Name: value"'],
    ['/a\n  X\u00fc: y', 'no name of a header'],
    ['/a\n  X: \u00fc', 'must be ASCII'],
    ['/a\n  X:', 'must be ASCII, and not empty'],
    ['/a\n  Content-Length: 5', "content-length can't be set here"],
    ['/a\n  Set-Cookie: a=b', "set-cookie can't be set here"],
    ['/a\n  x-amz-meta-a: b', "x-amz-meta-a can't be set here"],
    ['/a\n  ! ETag', "etag can't be set here"],
    ['https://a.example/x\n  X: y', 'a path is wanted'],
    ['/*/*\n  X: y', 'one * only'],
    [`/a\n  X: ${'y'.repeat(2001)}`, 'longer than 2000'],
  ])('leaves out %j', (text, reason) => {
    const { problems, changesFor } = parseHeaders(text);
    expect(problems[0]?.reason).toContain(reason);
    expect(changesFor('/a').added).toEqual([]);
  });

  it('has bounds: paths, headers of one, and what one answer gets', () => {
    const many = parseHeaders(Array.from({ length: 105 }, (_, i) => `/p${i}\n  X: y`).join('\n'));
    expect([many.count, many.problems.length]).toEqual([100, 10]);
    const rich = parseHeaders(
      `/*\n${Array.from({ length: 31 }, (_, i) => `  X${i}: y`).join('\n')}`,
    );
    expect([rich.changesFor('/').added.length, rich.problems.length]).toEqual([30, 1]);
    const long = parseHeaders(
      `/*\n${Array.from({ length: 5 }, (_, i) => `  X${i}: ${'y'.repeat(1900)}`).join('\n')}`,
    );
    expect(long.changesFor('/').added.length).toBe(2);
  });

  it('fills in no more than an answer has room for', () => {
    const line = `  X: ${':splat'.repeat(330)}`;
    const rules = parseHeaders(
      `/*\n${Array(30).fill(line).join('\n')}\n/b/*\n${Array(30).fill(line).join('\n')}\n  ! Y`,
    );
    const path = `/b/${'\u00e4'.repeat(500)}`;
    const before = process.cpuUsage().user;
    expect(rules.changesFor(path)).toEqual({ added: [], removed: [] });
    expect(process.cpuUsage().user - before).toBeLessThan(90_000);
  });
});

it.each([
  [RULE_LINE_MAX_LENGTH, 0],
  [RULE_LINE_MAX_LENGTH + 1, 1],
])('a line of _headers with %i characters has %i problems', (length, problems) => {
  const header = '  X-Long: ';
  const line = `${header}${'x'.repeat(length - header.length)}`;
  expect(parseHeaders(`/*\n${line}\n`).problems).toHaveLength(problems);
});
