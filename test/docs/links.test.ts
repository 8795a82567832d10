// Links between the documents lead to files and headings that exist, and the README stays short.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const below = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.md'));
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/README.md',
  'test/README.md',
  ...below.sort(),
];

/** The text without blocks of code and code in lines, where brackets are no links. */
const prose = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '``');

/**
 * Anchors of the headings, as GitHub makes them.
 * Source: https://docs.github.com/en/get-started/writing-on-github section links
 */
function anchorsOf(path: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  const text = textOf(path).replace(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} ([^\n]+)$/gm)) {
    const shown = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase();
    const slug = shown.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

type Link = { readonly file: string; readonly anchor: string };

/** The relative links of a document; `file` is below the root. */
function linksOf(path: string): readonly Link[] {
  return [...prose(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#', 2);
      return { file: file === '' ? path : normalize(join(path, '..', file)), anchor };
    });
}

it('the check of links reads links and headings as a page shows them', () => {
  expect(linksOf('README.md').length).toBeGreaterThan(20);
  expect(anchorsOf('docs/errors.md').has('kmsdisabledexception')).toBe(true);
  expect(anchorsOf('docs/configuration.md').has('quayside_port')).toBe(true);
  expect(anchorsOf('docs/glossary.md').has('nothing-of-the-kind')).toBe(false);
});

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to files that exist', () => {
    const missing = linksOf(document).filter(({ file }) => !existsSync(join(ROOT, file)));
    expect(missing).toEqual([]);
  });

  it('links to headings that exist', () => {
    const wrong = linksOf(document).filter(({ file, anchor }) => {
      if (anchor === '' || !existsSync(join(ROOT, file))) return false;
      return statSync(join(ROOT, file)).isDirectory() || !anchorsOf(file).has(anchor);
    });
    expect(wrong).toEqual([]);
  });
});

describe('README.md', () => {
  const text = textOf('README.md');

  it('has at most 100 lines', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
  });

  it('has at most 900 words', () => {
    expect(text.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(900);
  });
});
