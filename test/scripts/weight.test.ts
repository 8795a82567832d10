// The table of features covers every file of src, and none of its globs is left over.
import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FEATURES } from '../../scripts/weight/features.ts';
import { featureOf, sourcesOf } from '../../scripts/weight.ts';

const sources = sourcesOf('src');
const all = [...sources, ...sourcesOf('test')];

it('knows the feature of every file of src', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => featureOf(path) === null)).toEqual([]);
});

it('names each feature once, and gives each some files of src', () => {
  const names = FEATURES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const used = new Set(sources.map((path) => featureOf(path)?.name));
  expect(names.filter((name) => !used.has(name))).toEqual([]);
});

describe.each(FEATURES)('$name', ({ globs }) => {
  it.each(globs)('%s fits a file', (glob) => {
    expect(all.some((path) => matchesGlob(path, glob))).toBe(true);
  });
});
