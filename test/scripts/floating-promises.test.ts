// Promises that nobody waits for, in a project of a few lines.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API } from 'typescript/unstable/sync';
import { expect, it } from 'vitest';
import { CONFIGS, findFloatingPromises } from '../../scripts/floating-promises.ts';
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
export async function ended(flag: boolean) {
  try {
    if (flag) await library.save();
  } catch {
    return library.save();
  } finally {
    void library.save().catch(() => {});
  }
  return library.save();
}
export function alone() {
  library.save().catch(() => {});
  library.save().then(() => {}, () => {}).finally(() => {});
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
  expect(lines).toEqual(
    [5, 6, 7, 9, 11, 12, 13, 16, 22, 38].map((line) => `program.ts:${line}`).toSorted(),
  );
});

it('floating promises are looked for in all sources, since each is of a project', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const api = new API({ cwd: root });
  try {
    const projects = CONFIGS.map((name) => join(root, name));
    const checked = new Set(
      projects.flatMap((config) => {
        const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
        return [...(project?.program.getSourceFileNames() ?? [])];
      }),
    );
    const sources = globSync('src/**/*.{ts,tsx}', { cwd: root });
    expect(sources.length).toBeGreaterThan(1000);
    expect(sources.filter((file) => !checked.has(join(root, file)))).toEqual([]);
  } finally {
    api.close();
  }
}, 120_000);
