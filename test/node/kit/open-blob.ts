import { newKnownPages } from '../../../src/adapters/node/blobs/known-pages.ts';
import { newMapping } from '../../../src/adapters/node/blobs/mapped-files.ts';
import type { OpenBlob } from '../../../src/adapters/node/blobs/open-files.ts';

/** The record of an open file of which nothing is known yet. */
export function openBlobOf(fd: number, fileBytes: number): OpenBlob {
  return { fd, fileBytes, pages: newKnownPages(), mapping: newMapping() };
}
