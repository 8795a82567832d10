// The beginning of a text file on a link's page: which files have one, and how much of it.
import { expect, it } from 'vitest';
import type { ReadableVersion } from '../../../../src/core/objects/read-object.ts';
import { LINK_EXCERPT_BYTES } from '../../../../src/domain/links/link-limits.ts';
import type { ShareLink } from '../../../../src/domain/links/share-links.ts';
import { readExcerpt } from '../../../../src/http/links/share/share-excerpt.ts';
import { createMemoryCore } from '../../../core/memory-core.ts';

const core = createMemoryCore();
const LINK = {
  limits: { downloads: null, bytes: null, moneyMicro: null },
  page: { mode: 'preview' },
} as ShareLink;

const excerptOf = (
  bytes: Uint8Array | string,
  { link = LINK, name = 'a.txt', contentEncoding = null as string | null } = {},
) => {
  const inlineBytes = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  const sizeBytes = inlineBytes.length;
  const version: ReadableVersion = { inlineBytes, segments: [], sizeBytes, encryption: null };
  return readExcerpt(core, link, { version, name, contentEncoding });
};

it('the excerpt is the whole of a short text', async () => {
  expect(await excerptOf('one\n二')).toEqual({ text: 'one\n二', isCut: false });
  expect(await excerptOf('')).toEqual({ text: '', isCut: false });
});

it('the excerpt is 16 KiB of a longer one, and no half letter', async () => {
  const excerpt = await excerptOf(`a${'字'.repeat(10_000)}`);
  expect(excerpt?.isCut).toBe(true);
  expect(excerpt?.text).toBe(`a${'字'.repeat(Math.floor((LINK_EXCERPT_BYTES - 1) / 3))}`);
});

it('the excerpt is nothing of what is no text, or in another encoding', async () => {
  expect(await excerptOf(Uint8Array.of(1, 0, 2))).toBeNull();
  expect(await excerptOf(Uint8Array.of(0xd7, 0xd6, 0x0a))).toBeNull();
  expect(await excerptOf('text', { name: 'a.html' })).toBeNull();
  expect(await excerptOf('text', { contentEncoding: 'gzip' })).toBeNull();
});

it('the excerpt is nothing where it would count, or where only downloads are offered', async () => {
  const limited = { ...LINK, limits: { ...LINK.limits, downloads: 3 } };
  expect(await excerptOf('text', { link: limited })).toBeNull();
  const download = { ...LINK, page: { ...LINK.page, mode: 'download' } } as ShareLink;
  expect(await excerptOf('text', { link: download })).toBeNull();
});

it('the excerpt is nothing of a body that is gone, and the page stays', async () => {
  const segments = [{ blobId: 'gone', offsetBytes: 0, lengthBytes: 4 }];
  const version = { inlineBytes: null, segments, sizeBytes: 4, encryption: null };
  const object = { version: version as never, name: 'a.txt', contentEncoding: null };
  expect(await readExcerpt(core, LINK, object)).toBeNull();
});
