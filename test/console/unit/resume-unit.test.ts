// Which of the files that are chosen again belong to an upload that was interrupted.
import { expect, it } from 'vitest';
import type { KeptFile } from '../../../src/console/views/upload/resume/keep.ts';
import { findChosen } from '../../../src/console/views/upload/resume/match-files.ts';

const kept = (path: string, sizeBytes = 3): KeptFile => ({
  kind: 'file',
  batch: 'b',
  bucket: 'films',
  key: path,
  path,
  sizeBytes,
  modifiedAtMs: 1000,
  uploadId: null,
  options: {},
});
const chosen = (path: string, lastModified = 1000) => ({
  file: new File(['abc'], path.slice(path.lastIndexOf('/') + 1), { lastModified }),
  path,
});

it('42: a resumed upload finds a file by its path, or the same one chosen by itself', () => {
  const [whole, alone] = [chosen('trip/a.txt', 5), chosen('b.txt')];
  const find = findChosen([whole, alone]);
  expect(find(kept('trip/a.txt', 9))).toBe(whole);
  expect(find(kept('trip/b.txt'))).toBe(alone);
  expect(find(kept('trip/b.txt', 4))).toBeUndefined();
  expect(find(kept('trip/c.txt'))).toBeUndefined();
  expect(findChosen([chosen('b.txt', 5)])(kept('trip/b.txt'))).toBeUndefined();
});
