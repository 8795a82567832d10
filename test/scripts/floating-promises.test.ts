// Promises that nobody waits for, in a project of a few lines.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findFloatingPromises } from '../../scripts/floating-promises.ts';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';

/** One line, so that lines of the program are easy to count. */
const LIBRARY =
  'declare const library: ' +
  '{ save(): Promise<void>; maybe(): Promise<void> | undefined; say(): string };';
const PROGRAM = `${LIBRARY}
let kept: Promise<void> | null = null;
export async function main(work: () => Promise<unknown>) {
  await library.save();
  library.save();
  work();
  library.maybe();
  kept ??= library.save();
  kept;
  void library.save();
  library.save().catch(() => {});
  library.save().then(() => {}, () => {}).finally(() => {});
  library.save().finally(() => {});
  library.say();
  new Set<Promise<void>>().add(library.save());
  kept && library.save();
}
export async function tried(flag: boolean) {
  try {
    if (flag) return await library.save();
    [1].map(() => library.save());
    return library.save();
  } catch {
    return library.save();
  }
}
export function plain() {
  try {
    return library.save();
  } catch {
    return null;
  }
}
`;

it('floating promises are those whose value and failure go nowhere, or past a catch', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const compilerOptions = {
    target: 'ESNext',
    lib: ['ESNext'],
    types: [],
    strict: true,
    noEmit: true,
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  );
  const lines = findFloatingPromises(folder, '.', ['tsconfig.json']);
  expect(lines).toEqual([5, 6, 7, 9, 13, 16, 22].map((line) => `program.ts:${line}`).toSorted());
});
