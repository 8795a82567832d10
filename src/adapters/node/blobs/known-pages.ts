// Pages of open files that the page cache most likely holds, because this process
// has read or written them. quick-reads.ts asks before it reads on the main thread.
// Nothing here knows what the system has dropped since.
import type { BlobRange } from '../../../ports/blob-store.ts';

/**
 * Known pages of one file, as bits by the index of their map; older generations are
 * forgotten.
 */
export type KnownPages = { generation: number; readonly maps: Map<number, Uint32Array> };

/** A file whose pages are noted. */
export type PagedFile = { readonly fileBytes: number; readonly pages: KnownPages };

/** The record of a file of which no page is known. */
export function newKnownPages(): KnownPages {
  return { generation: 0, maps: new Map() };
}

export type PagePresence = {
  /** Whether all pages of the range are known. Cost: two words for 64 KiB. */
  isKnown(file: PagedFile, range: BlobRange): boolean;
  /** Notes that these bytes were read or written just now. Cost: 1 ns for 4 KiB. */
  notePresent(file: PagedFile, lengthBytes: number, offsetBytes: number): void;
};

/** What the page cache holds or drops as one. Bytes. */
const PAGE_BYTES = 4096;
/** Pages are noted as bits, in maps of 128 MiB of a file each. */
const PAGES_PER_MAP = 32_768;
const PAGES_PER_WORD = 32;
/**
 * Maps of all files together: for 128 GiB. Then all is forgotten, and learned anew.
 * Bytes.
 */
const MAPS_MAX_BYTES = 4 * 1024 * 1024;

/** Makes the presence of pages of all files of a process. */
export function createPagePresence(): PagePresence {
  let generation = 1;
  let mapBytes = 0;

  function mapOf({ pages, fileBytes }: PagedFile, index: number): Uint32Array {
    if (mapBytes >= MAPS_MAX_BYTES) {
      generation += 1;
      mapBytes = 0;
    }
    if (pages.generation !== generation) {
      pages.maps.clear();
      pages.generation = generation;
    }
    let map = pages.maps.get(index);
    if (map === undefined) {
      const pagesLeft = Math.ceil(fileBytes / PAGE_BYTES) - index * PAGES_PER_MAP;
      const pagesInMap = Math.min(PAGES_PER_MAP, pagesLeft);
      map = new Uint32Array(Math.ceil(pagesInMap / PAGES_PER_WORD));
      pages.maps.set(index, map);
      mapBytes += map.byteLength;
    }
    return map;
  }

  return {
    isKnown({ pages }, { offsetBytes, lengthBytes }) {
      if (pages.generation !== generation) return false;
      const end = Math.floor((offsetBytes + lengthBytes - 1) / PAGE_BYTES) + 1;
      // Word by word: 64 KiB are 17 pages, in two words.
      for (let page = Math.floor(offsetBytes / PAGE_BYTES); page < end; ) {
        const word = pages.maps.get(Math.floor(page / PAGES_PER_MAP))?.[wordOf(page)] ?? 0;
        const count = pagesInWord(page, end);
        const requiredBits = bitsOf(page, count);
        if ((word & requiredBits) !== requiredBits) return false;
        page += count;
      }
      return true;
    },

    notePresent(file, lengthBytes, offsetBytes) {
      const end = Math.floor((offsetBytes + lengthBytes - 1) / PAGE_BYTES) + 1;
      for (let page = Math.floor(offsetBytes / PAGE_BYTES); page < end; ) {
        const map = mapOf(file, Math.floor(page / PAGES_PER_MAP));
        const word = wordOf(page);
        const count = pagesInWord(page, end);
        map[word] = (map[word] ?? 0) | bitsOf(page, count);
        page += count;
      }
    },
  };
}

/** The word of its map that has the bit of a page. */
function wordOf(page: number): number {
  return ((page % PAGES_PER_MAP) / PAGES_PER_WORD) | 0;
}

/**
 * How many pages from `page` up to `end` have their bits in the same word of 32.
 */
function pagesInWord(page: number, end: number): number {
  return Math.min(PAGES_PER_WORD - (page % PAGES_PER_WORD), end - page);
}

/** The bits of `count` pages of one word. */
function bitsOf(page: number, count: number): number {
  return (count === PAGES_PER_WORD ? -1 : (1 << count) - 1) << (page % PAGES_PER_WORD);
}
