// The folders of the S3 surface import one way: each only those above it in the list. So a reader
// of one needs none of those after it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../src/http/s3/', import.meta.url).pathname;
/** Lowest first; '.' is the files beside the folders. */
const ORDER = [
  'signature',
  'formats',
  'headers',
  'call',
  'post',
  'operations',
  'fast-read',
  'features',
  '.',
];
/** Folders that import nothing else of the surface. */
const LEAVES = ['signature', 'formats'];

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '.');

/** `from → to` for each import between two folders, of types too. */
function importsBetweenFolders(): Set<string> {
  const edges = new Set<string>();
  for (const path of files) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const [, target = ''] of text.matchAll(/ from '(\.[^']+)';/g)) {
      const imported = normalize(join(dirname(path), target));
      if (imported.startsWith('..')) continue;
      if (folderOf(path) !== folderOf(imported))
        edges.add(`${folderOf(path)} → ${folderOf(imported)}`);
    }
  }
  return edges;
}

const edges = [...importsBetweenFolders()];

it('every folder has its place in the order', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual([...ORDER].sort());
});

it('a folder imports only those before it', () => {
  expect(edges.length).toBeGreaterThan(ORDER.length);
  const breaches = edges.filter((edge) => {
    const [from = '', to = ''] = edge.split(' → ');
    return ORDER.indexOf(from) < ORDER.indexOf(to);
  });
  expect(breaches).toEqual([]);
});

it.each(LEAVES)('%s imports nothing else of the surface', (leaf) => {
  expect(edges.filter((edge) => edge.startsWith(`${leaf} →`))).toEqual([]);
});
