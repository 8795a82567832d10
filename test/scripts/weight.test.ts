// The table of features covers every file of src, and none of its globs is left over.
import { describe, expect, it } from 'vitest';
import { FEATURES } from '../../scripts/weight/features.ts';
import { featureOf, fitsGlob, sourcesOf } from '../../scripts/weight.ts';

const sources = sourcesOf('src');
const all = [...sources, ...sourcesOf('test')];
const features = new Map(sources.map((path) => [path, featureOf(path)]));

it('the table knows the feature of every file of src', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => features.get(path) === null)).toEqual([]);
});

it('the table names each feature once, and gives each some files of src', () => {
  const names = FEATURES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const used = new Set([...features.values()].map((feature) => feature?.name));
  expect(names.filter((name) => !used.has(name))).toEqual([]);
});

describe.each(FEATURES)('$name', ({ globs }) => {
  it.each(globs)('%s fits a file', (glob) => {
    expect(all.some((path) => fitsGlob(path, glob))).toBe(true);
  });
});
