// The console's files in a folder: as every adapter, and read once, whatever happens to the folder.
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createConsoleFolder } from '../../../src/adapters/node/services/console-folder.ts';
import { consoleFilesContract } from '../../contract/console-files.contract.ts';
import { consoleFolderFiles } from '../../http/console/console-fixture.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

async function make() {
  const folder = join(temporaryFolder(), 'build', 'console');
  const fill = async (files: ReadonlyMap<string, Uint8Array>) => {
    for (const [name, bytes] of files) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    }
  };
  let nowMs = 0;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { folder, fill, pass, files: createConsoleFolder(folder, () => nowMs) };
}

consoleFilesContract({ name: 'a folder of Node', make });

describe('the folder of the console', () => {
  it('is read whole: what is removed later is still served', async () => {
    const { folder, fill, pass, files } = await make();
    await fill(consoleFolderFiles());
    const opened = await files.open();
    await rm(folder, { recursive: true });
    expect((await opened?.read('index.html', null))?.length).toBeGreaterThan(0);
    pass(2000);
    expect(await files.open()).toBe(opened);
  });

  it('is read again after a build, once that is whole, within two seconds', async () => {
    const { folder, fill, pass, files } = await make();
    const first = consoleFolderFiles();
    await fill(first);
    const opened = await files.open();
    const asset = join(folder, 'assets', 'main-4f2a.js.br');
    const later = new Date(Date.now() + 5000);
    await fill(new Map([['index.html', new TextEncoder().encode('<!doctype html>new')]]));
    await utimes(join(folder, 'files.json'), later, later);
    await rm(asset);
    expect(await files.open()).toBe(opened);
    pass(2000);
    // The build goes on: a file of its list is not there yet.
    expect(await files.open()).toBe(opened);

    await writeFile(asset, first.get('assets/main-4f2a.js.br') ?? new Uint8Array());
    pass(2000);
    const page = await (await files.open())?.read('index.html', null);
    expect(new TextDecoder().decode(page)).toBe('<!doctype html>new');
  });

  it('is refused when a file of its list is missing', async () => {
    const { folder, fill, files } = await make();
    await fill(consoleFolderFiles());
    await rm(join(folder, 'assets', 'main-4f2a.js.br'));
    await expect(files.open()).rejects.toThrow('main-4f2a.js.br');
  });

  it('is refused when it has more bytes than memory is meant for it', async () => {
    const { fill, files } = await make();
    const entry = {
      type: 'text/html; charset=utf-8',
      digest: '0'.repeat(64),
      br: false,
      gz: false,
    };
    const list = JSON.stringify({ version: 1, files: { 'index.html': entry } });
    await fill(
      new Map([
        ['files.json', new TextEncoder().encode(list)],
        ['index.html', new Uint8Array(8 * 1024 * 1024 + 1)],
      ]),
    );
    await expect(files.open()).rejects.toThrow('8388608 bytes');
  });
});
