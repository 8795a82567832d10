// Names of dropped files: which are taken, and what keys templates make of them.
import { describe, expect, it } from 'vitest';
import {
  fillTemplate,
  numberedKey,
  parseDropPath,
  problemOfTemplate,
} from '../../../src/domain/links/drop-names.ts';

describe('a path', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['/a//b/./c.txt', 'a/b/c.txt'],
    ['a\\b.txt', 'a/b.txt'],
    ['  a / b.txt ', 'a/b.txt'],
    ['u\u0308.txt', 'ü.txt'],
    ['…..txt', '…..txt'],
  ])('%j is %j', (text, path) => expect(parseDropPath(text)).toBe(path));

  it.each([
    '',
    '/',
    '.',
    '..',
    'a/../b',
    'a\\..\\b',
    'a\u0000',
    'a\n',
    '\u202egpj.exe',
    '\u2066a',
    '\ufeffa',
    '\ud800',
    'x'.repeat(513),
    'é'.repeat(200),
    `${'a/'.repeat(21)}b`,
  ])('%j is none', (text) => expect(parseDropPath(text)).toBeNull());
});

describe('a template', () => {
  const facts = {
    path: 'deep/a.txt',
    fields: { name: '', mail: '', note: '' },
    senderId: '0123456789abcdef',
    nowMs: Date.UTC(2026, 10, 23, 1, 2, 3),
  };

  it('has its places filled, each with a name of a path', () => {
    const fill = (template: string, name: string) =>
      fillTemplate(template, { ...facts, fields: { ...facts.fields, name } });
    expect(fill('{date}/{time}/{sender}/{name}', 'Ada/../x')).toBe(
      '2026-11-23/010203/Ada-..-x/deep/a.txt',
    );
    for (const nobody of ['', '..', ' . '])
      expect(fill('{sender}-{file}', nobody)).toBe('sender-01234567-a.txt');
    expect(fill('{sender}/{file}', '{name}')).toBe('{name}/a.txt');
    expect([...fill('{sender}{file}', '😀'.repeat(90))]).toHaveLength(50 + 'a.txt'.length);
  });

  it.each(['{name}', 'a/{date}/{file}', '{mail}/{sender}-{name}'])('%s is one', (template) =>
    expect(problemOfTemplate(template)).toBeNull(),
  );

  it.each([
    '',
    '{date}',
    '{name}/x',
    '{nobody}/{name}',
    '{{name}',
    '../{name}',
    '/{name}',
    'a//{name}',
  ])('%j is none', (template) => expect(problemOfTemplate(template)).not.toBeNull());
});

it('numbers stand before the ending of a name', () => {
  expect(numberedKey('a/b.c/d.txt', 1, 1024)).toBe('a/b.c/d.txt');
  expect(numberedKey('a/b.c/d.txt', 2, 1024)).toBe('a/b.c/d (2).txt');
  expect(numberedKey('a/b.c/d', 3, 1024)).toBe('a/b.c/d (3)');
  expect(numberedKey('a/.hidden', 'x', 1024)).toBe('a/.hidden (x)');
});

describe('a numbered key', () => {
  const bytesOf = (text: string) => new TextEncoder().encode(text).length;
  const marks = [2, 20, 'k7fm2q9x'];

  it.each([
    ['a name of letters', `${'a/'.repeat(400)}${'x'.repeat(220)}.txt`, '.txt'],
    ['a name of characters of four bytes', `a/${'😀'.repeat(254)}x.txt`, '.txt'],
    ['a name of one letter', `${'b'.repeat(1018)}/a.txt`, '.txt'],
    ['no ending', 'x'.repeat(1024), ''],
    ['an ending that is none', `a.${'x'.repeat(1022)}`, ''],
  ])('has no more bytes than a key may have: %s', (_, key, ending) => {
    expect(bytesOf(key)).toBeLessThanOrEqual(1024);
    const numbered = marks.map((mark) => numberedKey(key, mark, 1024));
    expect(new Set(numbered).size).toBe(marks.length);
    for (const [at, text] of numbered.entries()) {
      expect(text.endsWith(` (${marks[at]})${ending}`)).toBe(true);
      expect([text.isWellFormed(), text.includes('\ufffd')]).toEqual([true, false]);
      expect(bytesOf(text)).toBeLessThanOrEqual(1024);
      // Not more is cut than must be, and nothing but the end of what stands before it.
      expect(bytesOf(text)).toBeGreaterThan(1020);
      expect(key.startsWith(text.slice(0, text.lastIndexOf(' (')))).toBe(true);
    }
  });
});
