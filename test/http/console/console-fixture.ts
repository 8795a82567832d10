// A small console as the build would leave it: plain files, those that compress with `.br` and
// `.gz` beside them, and files.json. It runs in Node and in workerd.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { MemoryConsoleFile } from '../../../src/adapters/memory/memory-console-files.ts';
import { sha256Hex } from '../../../src/crypto/hash.ts';

const encoder = new TextEncoder();

const plainBytes = (bytes: Uint8Array) => new Uint8Array(bytes);

function textFile(type: string, text: string): MemoryConsoleFile {
  const identity = encoder.encode(text);
  return {
    type,
    digest: sha256Hex(identity),
    codings: ['br', 'gzip'],
    bytes: {
      identity,
      br: plainBytes(brotliCompressSync(identity)),
      gzip: plainBytes(gzipSync(identity)),
    },
  };
}

function imageFile(): MemoryConsoleFile {
  const identity = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
  return { type: 'image/png', digest: sha256Hex(identity), codings: [], bytes: { identity } };
}

export const INDEX_TEXT = '<!doctype html><title>Quayside</title><div id="app"></div>'.repeat(20);
export const SCRIPT_TEXT = 'console.log("quayside");'.repeat(50);

/** The files by path. */
export const CONSOLE_FILES: ReadonlyMap<string, MemoryConsoleFile> = new Map([
  ['index.html', textFile('text/html; charset=utf-8', INDEX_TEXT)],
  ['favicon.svg', textFile('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['assets/main-4f2a.js', textFile('text/javascript; charset=utf-8', SCRIPT_TEXT)],
  ['assets/logo-77aa.png', imageFile()],
]);

/** Every file of the folder by name, files.json with them. */
export function consoleFolderFiles(): ReadonlyMap<string, Uint8Array> {
  const folder = new Map<string, Uint8Array>();
  const files: Record<string, object> = {};
  for (const [path, { type, digest, codings, bytes }] of CONSOLE_FILES) {
    const { identity = new Uint8Array(), br, gzip } = bytes;
    const has = { br: codings.includes('br'), gz: codings.includes('gzip') };
    files[path] = { type, bytes: identity.length, digest, ...has };
    folder.set(path, identity);
    if (br !== undefined) folder.set(`${path}.br`, br);
    if (gzip !== undefined) folder.set(`${path}.gz`, gzip);
  }
  folder.set('files.json', encoder.encode(JSON.stringify({ version: 1, files })));
  return folder;
}
