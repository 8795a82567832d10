// What a page has to load: bundled and minified as users do it, then compressed.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const CLIENT = fileURLToPath(new URL('../../src/client/', import.meta.url));

/** Size of an entry with all that it imports, compressed, bytes. */
async function sizeOf(source: string): Promise<number> {
  const entry = `${CLIENT}budget-entry.ts`;
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []))).toEqual([]);
  const code = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('');
  // Nothing that only one platform has.
  expect(code.match(/\bnode:|\bprocess\.|\bBuffer\.|\brequire\(/)).toBeNull();
  return gzipSync(code, { level: 9 }).length;
}

it('the client is at most 12 KB with uploads and downloads', async () => {
  const bytes = await sizeOf("export { createClient } from './client.ts';");
  expect(bytes).toBeGreaterThan(4000);
  expect(bytes).toBeLessThanOrEqual(12_000);
});

it('the client is at most half of that for routes alone', async () => {
  const bytes = await sizeOf("export { createApiClient } from './api-client.ts';");
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(6100);
});

it('the client is at most three quarters of that with uploads alone', async () => {
  const bytes = await sizeOf("export { createUploadClient } from './upload-client.ts';");
  expect(bytes).toBeGreaterThan(3000);
  expect(bytes).toBeLessThanOrEqual(9500);
});

it('the client is at most 3 KB for the element, which holds nothing of the client', async () => {
  const bytes = await sizeOf("export * from './upload-element.ts';");
  expect(bytes).toBeGreaterThan(500);
  expect(bytes).toBeLessThanOrEqual(3000);
});
