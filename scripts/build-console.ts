// Builds the console: src/console becomes build/console, and src/link-pages its folder `links`,
// with names that carry a digest of their content, each compressible file beside its brotli and
// gzip form, and files.json, which is what the server reads. ensure-install.js runs it when a
// source is newer; it takes a few seconds.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import mime from 'mime';
import { bundleConsole } from './console-bundle.ts';
import { bundleLinkPages } from './link-pages/bundle-link-pages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = join(ROOT, 'build', 'console');
const MANIFEST = join(ROOT, 'build', 'console-manifest.json');
/** Written here first, so that a server never reads a folder that is half made. */
const MAKING = join(ROOT, 'build', `console-${process.pid}`);
/** Folders of what pages name by a digest. */
const PIECES = ['assets/', 'links/'];
/** What compresses; pictures and fonts are compressed already. */
const COMPRESSIBLE = /\.(?:html|js|css|svg|json|webmanifest)$/;

type BuiltFile = {
  readonly type: string;
  readonly bytes: number;
  /** SHA-256 of the plain bytes, hex. */
  readonly digest: string;
  readonly br: boolean;
  readonly gz: boolean;
};

/** They run beside the main thread, so that several files are compressed at once. */
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

async function compress(name: string): Promise<BuiltFile> {
  const path = join(MAKING, name);
  const bytes = readFileSync(path);
  const isCompressed = COMPRESSIBLE.test(name);
  if (isCompressed) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    const [br, gz] = await Promise.all([
      toBrotli(bytes, { params }),
      toGzip(bytes, { level: constants.Z_BEST_COMPRESSION }),
    ]);
    writeFileSync(`${path}.br`, br);
    writeFileSync(`${path}.gz`, gz);
  }
  const type = mime.getType(name) ?? 'application/octet-stream';
  return {
    type: /^text\/|javascript|json/.test(type) ? `${type}; charset=utf-8` : type,
    bytes: bytes.length,
    digest: createHash('sha256').update(bytes).digest('hex'),
    br: isCompressed,
    gz: isCompressed,
  };
}

/** Every file below a folder, by its path there with slashes. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((name) => name.replaceAll('\\', '/'))
    .sort();

/** Whether both files are there with the same bytes. */
const isSame = (one: string, other: string): boolean =>
  existsSync(other) && readFileSync(one).equals(readFileSync(other));

/**
 * Brings what was made into the folder that a server may be reading: pieces first, then what names
 * them, and only then the old pieces go. The folder itself and what did not change stay untouched,
 * since `wrangler dev` watches them.
 */
function publish(): void {
  for (const folder of PIECES) mkdirSync(join(OUTPUT, folder), { recursive: true });
  const made = filesBelow(MAKING);
  const isPiece = (name: string) => PIECES.some((folder) => name.startsWith(folder));
  for (const name of [...made.filter(isPiece), ...made.filter((one) => !isPiece(one))]) {
    const [from, to] = [join(MAKING, name), join(OUTPUT, name)];
    if (!isSame(from, to)) renameSync(from, to);
  }
  const kept = new Set(made);
  for (const name of filesBelow(OUTPUT)) if (!kept.has(name)) rmSync(join(OUTPUT, name));
}

try {
  await bundleConsole(MAKING);
  await bundleLinkPages(MAKING);
  // It says what comes with what, for the test of the budget; no server reads it.
  renameSync(join(MAKING, 'manifest.json'), MANIFEST);
  const compressed = filesBelow(MAKING).map(async (name) => [name, await compress(name)] as const);
  const files = Object.fromEntries(await Promise.all(compressed));
  writeFileSync(join(MAKING, 'files.json'), `${JSON.stringify({ version: 1, files }, null, 1)}\n`);
  publish();
} finally {
  rmSync(MAKING, { recursive: true, force: true });
}
