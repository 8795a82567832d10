// Temporary files of a whole run lie in memory only where there is room for them.
import { expect, it } from 'vitest';
import { findMemoryFolder } from '../memory-folder.ts';

const PLENTY = 2 ** 50;
/** A folder that is there, on a disk with some room. */
const FOLDER = import.meta.dirname;

it('the folder of tests is in memory, where that has room and the machine has memory', () => {
  expect(findMemoryFolder({}, FOLDER, PLENTY)).toBe(FOLDER);
});

it.each([
  ['TMPDIR says where files belong', { TMPDIR: '/elsewhere' }, FOLDER, PLENTY],
  ['there is no such folder', {}, `${FOLDER}/none`, PLENTY],
  ['it has no room, as one of a kernel', {}, '/proc', PLENTY],
  ['memory is short', {}, FOLDER, 2 ** 30],
])('there is no folder in memory where %s', (_what, env, folder, freeMemoryBytes) => {
  expect(findMemoryFolder(env, folder, freeMemoryBytes)).toBeNull();
});
