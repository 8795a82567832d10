// The program that docs/sdk.md shows, block after block, runs as it stands there.
import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { useClientServer } from '../client/client-server.ts';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';

const server = useClientServer();
const document = readFileSync(new URL('../../docs/sdk.md', import.meta.url), 'utf8');
const client = new URL('../../src/client/index.ts', import.meta.url).href;

it('the example of the SDK runs, and prints what it says', async () => {
  const blocks = [...document.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(5);
  const program = blocks
    .join('\n')
    .replaceAll("'http://127.0.0.1:9000'", `'${server.url()}'`)
    .replaceAll("'qst_…'", `'${server.token()}'`)
    .replaceAll("'quayside/client'", `'${client}'`);
  const path = join(temporaryFolder(), 'program.mjs');
  writeFileSync(path, stripTypeScriptTypes(program));
  const said: unknown[][] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void said.push(words));
  try {
    await import(/* @vite-ignore */ pathToFileURL(path).href);
  } finally {
    log.mockRestore();
  }
  expect(said[0]).toEqual(['Hello!', 'sha256']);
  expect(said).toContainEqual([true]);
  expect(said).toContainEqual(['hello.txt', '6']);
  expect(said).toContainEqual(['the machine stops here']);
  expect(said).toContainEqual([500]);
  expect(said).toContainEqual([
    'NoSuchKey',
    404,
    expect.any(String),
    false,
    'See /-/docs#NoSuchKey of the server.',
  ]);
  expect(said).toContainEqual(['trip']);
});
