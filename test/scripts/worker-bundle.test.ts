// The weight of the Worker as it is deployed: what an isolate loads before its first request, and
// what waits until somebody asks for it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bundleWorker, gzipBytes, splitByLoading } from '../../scripts/deploy/worker-bundle.ts';

const KiB = 1024;
const folder = mkdtempSync(join(tmpdir(), 'quayside-worker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the Worker is 400 KiB for the first request, and loads the rest when it is needed', {
  timeout: 120_000,
}, async () => {
  const output = await bundleWorker(folder);
  const { first, later } = splitByLoading(output);
  expect(gzipBytes(folder, first)).toBeLessThan(400 * KiB);
  expect(gzipBytes(folder, first)).toBeGreaterThan(200 * KiB);
  // What a paid plan takes is 10 MB, a free one 3 MB, of all files together.
  expect(gzipBytes(folder, [...first, ...later])).toBeLessThan(1200 * KiB);

  const modulesOf = (names: readonly string[]) =>
    output.output.flatMap((file) =>
      file.type === 'chunk' && names.includes(file.fileName) ? file.moduleIds : [],
    );
  for (const part of [
    'node_modules/stripe/',
    '@cantoo/pdf-lib/',
    '@simplewebauthn/server/',
    'src/api/app.ts',
    'src/api/openapi/',
    'src/http/links/drop/drop-page.ts',
  ]) {
    const isOfPart = (id: string) => id.includes(part);
    expect(modulesOf(first).filter(isOfPart), part).toEqual([]);
    expect(modulesOf(later).filter(isOfPart).length, part).toBeGreaterThan(0);
  }
  // The runtime has these; anything else would need what only wrangler's own bundle puts in.
  const builtIns = output.output.flatMap((file) =>
    file.type === 'chunk' ? file.imports.filter((name) => name.includes(':')) : [],
  );
  expect([...new Set(builtIns)].sort()).toEqual(['cloudflare:workers', 'node:crypto', 'node:zlib']);
});
