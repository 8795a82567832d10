// The npm package as its users have it: what is in it, its types, and its program on Nodes of two
// ages. Needs no network; where npm or tar is missing, each test is skipped and says so.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { NEEDED_MAJOR, NODE_PACKAGES } from '../../src/bin/find-node.ts';
import { RESERVE_BYTES } from '../node/kit/node-process.ts';
import { installPackage, missingTool, oldNode, ROOT } from './install-package.ts';

const missing = missingTool();
const oldPath = oldNode();
const project = mkdtempSync(join(tmpdir(), 'quayside-package-'));
const installed = join(project, 'node_modules', 'quayside');
const program = join(installed, 'dist', 'bin', 'quayside.js');
const running = new Set<ChildProcess>();

beforeAll(() => {
  if (missing === null) installPackage(project);
});

beforeEach(({ skip }) => {
  if (missing !== null) skip(`The package can't be made: ${missing}.`);
});

afterAll(async () => {
  const ended = [...running].map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
  rmSync(project, { recursive: true, force: true, maxRetries: 3 });
});

const readManifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

function runProgram(node: string, ...args: readonly string[]) {
  return spawnSync(node, [program, ...args], { cwd: project, encoding: 'utf8', timeout: 20_000 });
}

/** A folder of the project for one test. */
const dataFolder = () => mkdtempSync(join(project, 'data-'));

/** Starts the server on any free port; resolves with its URL when it is ready. */
async function serve(node: string, data: string, isByNpx = false) {
  const call = [program, 'serve', '--data', data, '--port', '0'];
  // npx has a shell between, which does not pass signals on.
  const file = isByNpx ? 'sh' : node;
  const args = isByNpx ? ['-c', '"$0" "$@"; true', node, ...call] : call;
  const child = spawn(file, args, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      npm_lifecycle_event: isByNpx ? 'npx' : 'test',
      QUAYSIDE_DISK_RESERVE_BYTES: `${RESERVE_BYTES}`,
    },
  });
  running.add(child);
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return { code, signal };
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const address = () => /ready: (http:\S+)[\s\S]*secret key/.exec(text)?.[1];
  await expect.poll(() => address() ?? child.exitCode).not.toBeNull();
  const url = address();
  if (url === undefined) throw new Error(`It ended with ${child.exitCode}:\n${text}`);
  return { url, child, ended };
}

const isServing = (url: string) =>
  fetch(`${url}/-/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Stores an object with the client of the package and returns what it reads back. */
function runConsumer(url: string, data: string): string {
  const consumer = join(project, 'consumer.mjs');
  copyFileSync(join(ROOT, 'test', 'package', 'consumer.js'), consumer);
  const args = [consumer, url, join(data, 'root-key.json')];
  return execFileSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
}

function skipWithoutOldNode(skip: (note: string) => never): string {
  if (oldPath === null) skip(`PATH has no Node from 18 to ${NEEDED_MAJOR - 1}.`);
  return oldPath;
}

it('the package has every file that its manifest names, and no sources', () => {
  const { exports, bin } = readManifest();
  const entries = Object.values<string | Record<string, string>>(exports);
  const targets = entries.flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  expect(targets.length).toBeGreaterThan(4);
  for (const path of [bin.quayside, ...targets])
    expect(existsSync(join(installed, path)), path).toBe(true);
  const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
});

it('the package names JavaScript in the imports of its types, with types beside it', () => {
  const folder = join(installed, 'dist', 'client');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(folder, name));
  const imports = paths.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)].map(
      ([, target = '']) => ({ path, target }),
    ),
  );
  expect(imports.length).toBeGreaterThan(50);
  const wrong = imports.filter(
    ({ path, target }) =>
      !target.startsWith('.') ||
      !target.endsWith('.js') ||
      !existsSync(join(dirname(path), target.replace(/\.js$/, '.d.ts'))),
  );
  expect(wrong).toEqual([]);
});

it.each(['nodenext', 'bundler'])(
  'the package has types for the compiler of a project, %s',
  (resolution) => {
    copyFileSync(
      join(ROOT, 'test', 'package', 'consumer-types.ts'),
      join(project, 'consumer-types.mts'),
    );
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom'];
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    const places = ['--module', module, '--moduleResolution', resolution, '--types', ''];
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    const { stdout, status } = spawnSync(tsc, [...options, ...places, 'consumer-types.mts'], {
      cwd: project,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    expect([stdout, status]).toEqual(['', 0]);
  },
);

it('the package brings the Nodes that its program looks for', () => {
  const { optionalDependencies } = readManifest();
  const brought = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-'));
  expect(Object.values(NODE_PACKAGES).sort()).toEqual(brought.sort());
  for (const name of brought)
    expect(Number.parseInt(optionalDependencies[name], 10), name).toBe(NEEDED_MAJOR);
});

it.for(['the pinned Node', 'an old Node'])(
  'the package prints help and errors, on %s',
  (which, { skip }) => {
    const node = which === 'an old Node' ? skipWithoutOldNode(skip) : process.execPath;
    const help = runProgram(node);
    expect([help.status, help.stderr]).toEqual([0, '']);
    expect(help.stdout.match(/^ {2}npx quayside /gm)).toHaveLength(3);
    expect(runProgram(node, '--version').stdout).toBe(`${readManifest().version}\n`);
    expect(runProgram(node, 'serve', '--help').stdout).toBe(help.stdout);
    for (const args of [['sreve'], ['serve', '--prot', '1'], ['serve', '--port', '65536']]) {
      const { status, stdout, stderr } = runProgram(node, ...args);
      expect([status, stdout], args.join(' ')).toEqual([2, '']);
      expect(stderr).toContain('npx quayside --help');
    }
  },
);

it('the package serves on the pinned Node, and an object comes back', async () => {
  const data = dataFolder();
  const { url, child, ended } = await serve(process.execPath, data);
  expect(await isServing(url)).toBe(true);
  expect(runConsumer(url, data)).toBe('Hello!');
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
});

it('the package serves, backs up and checks by an old Node, and ends on one Ctrl-C', async ({
  skip,
}) => {
  const node = skipWithoutOldNode(skip);
  const data = dataFolder();
  const { url, child, ended } = await serve(node, data);
  expect(await isServing(url)).toBe(true);
  expect(runConsumer(url, data)).toBe('Hello!');
  const backup = join(project, 'backup');
  const saved = runProgram(node, 'backup', backup, '--data', data);
  expect([saved.status, saved.stderr]).toEqual([0, '']);
  expect(runProgram(node, 'check', backup, '--bodies').stdout).toContain('bodies proved: 1');
  expect(runProgram(node, 'restore')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('npx quayside restore BACKUP'),
  });

  // A terminal and npm both send the signal.
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(await isServing(url)).toBe(false);
});

it('the package ends in order on SIGTERM, by an old Node', async ({ skip }) => {
  const { child, ended } = await serve(skipWithoutOldNode(skip), dataFolder());
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
});

it('the package ends the server when the old Node before it is killed', async ({ skip }) => {
  const data = dataFolder();
  const { url, child, ended } = await serve(skipWithoutOldNode(skip), data);
  child.kill('SIGKILL');
  await ended;
  await expect.poll(() => isServing(url)).toBe(false);
});

it.for(['the pinned Node', 'an old Node'])(
  'the package ends with npx, on %s',
  async (which, { skip }) => {
    const node = which === 'an old Node' ? skipWithoutOldNode(skip) : process.execPath;
    if (process.platform === 'win32') skip('Windows has no signals.');
    const { url, child, ended } = await serve(node, dataFolder(), true);
    child.kill('SIGTERM');
    await ended;
    await expect.poll(() => isServing(url)).toBe(false);
  },
);

it('the package says by an old Node what is missing where no Node came with it', ({ skip }) => {
  const node = skipWithoutOldNode(skip);
  const alone = mkdtempSync(join(tmpdir(), 'quayside-alone-'));
  onTestFinished(() => rmSync(alone, { recursive: true }));
  const path = join(alone, 'quayside.mjs');
  copyFileSync(program, path);
  const { status, stderr } = spawnSync(node, [path, 'serve'], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/needs Node 26.*npm left out the optional package/);
});
