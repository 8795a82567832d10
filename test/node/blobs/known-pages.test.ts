// Which pages of files the page cache most likely has: exact to the page, bounded in memory.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createPagePresence,
  newKnownPages,
  type PagedFile,
} from '../../../src/adapters/node/blobs/known-pages.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';

const PAGE = 4096;
const MAP_BYTES = 32_768 * PAGE;
const fileOf = (fileBytes: number): PagedFile => ({ fileBytes, pages: newKnownPages() });

describe('known pages', () => {
  it('are those that were noted, and no others', () => {
    const at = fc.nat({ max: 100 * PAGE });
    const length = fc.integer({ min: 1, max: 40 * PAGE });
    const range = fc.record({ offsetBytes: at, lengthBytes: length });
    fc.assert(
      fc.property(
        fc.array(range, { maxLength: 5 }),
        fc.array(range, { maxLength: 20 }),
        (noted, asked) => {
          const presence = createPagePresence();
          const file = fileOf(150 * PAGE);
          const known = new Set<number>();
          const pagesOf = ({ offsetBytes, lengthBytes }: (typeof noted)[number]) => {
            const first = Math.floor(offsetBytes / PAGE);
            const last = Math.floor((offsetBytes + lengthBytes - 1) / PAGE);
            return Array.from({ length: last - first + 1 }, (_, index) => first + index);
          };
          for (const one of noted) {
            presence.notePresent(file, one.lengthBytes, one.offsetBytes);
            for (const page of pagesOf(one)) known.add(page);
          }
          for (const one of [...asked, ...noted]) {
            const isKnown = pagesOf(one).every((page) => known.has(page));
            expect(presence.isKnown(file, one)).toBe(isKnown);
          }
        },
      ),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('end and begin at the bounds of pages, and of maps', () => {
    const presence = createPagePresence();
    const file = fileOf(2 * MAP_BYTES);
    const isKnown = (offsetBytes: number, lengthBytes: number) =>
      presence.isKnown(file, { offsetBytes, lengthBytes });
    presence.notePresent(file, PAGE, PAGE);
    expect([isKnown(PAGE, PAGE), isKnown(PAGE - 1, 1), isKnown(2 * PAGE, 1)]).toEqual([
      true,
      false,
      false,
    ]);
    presence.notePresent(file, 2, MAP_BYTES - 1);
    expect(isKnown(MAP_BYTES - PAGE, 2 * PAGE)).toBe(true);
    expect(isKnown(MAP_BYTES - PAGE - 1, 2)).toBe(false);
    expect(isKnown(MAP_BYTES + PAGE - 1, 2)).toBe(false);
  });

  it('of each file are its own', () => {
    const presence = createPagePresence();
    const [one, other] = [fileOf(10 * PAGE), fileOf(10 * PAGE)];
    presence.notePresent(one, PAGE, 0);
    expect(presence.isKnown(other, { offsetBytes: 0, lengthBytes: 1 })).toBe(false);
  });

  it('are all forgotten once their maps take 4 MiB, and learned anew', () => {
    const presence = createPagePresence();
    const first = { offsetBytes: 0, lengthBytes: PAGE };
    // A map is 4 KiB where the file has all of its 128 MiB.
    const files = Array.from({ length: 1025 }, () => fileOf(MAP_BYTES));
    for (const file of files.slice(0, 1024)) presence.notePresent(file, PAGE, 0);
    const known = () => files.filter((file) => presence.isKnown(file, first)).length;
    expect(known()).toBe(1024);
    presence.notePresent(files[1024] as PagedFile, PAGE, 0);
    expect(known()).toBe(1);
    // The old map of a file does not come back with its new one.
    const [old] = files as [PagedFile];
    presence.notePresent(old, PAGE, PAGE);
    expect(presence.isKnown(old, first)).toBe(false);
    expect(presence.isKnown(old, { offsetBytes: PAGE, lengthBytes: PAGE })).toBe(true);
  });

  it('take no more room than the file has pages', () => {
    const presence = createPagePresence();
    const small = Array.from({ length: 2000 }, () => fileOf(33 * PAGE));
    for (const file of small) presence.notePresent(file, PAGE, 32 * PAGE);
    const last = { offsetBytes: 32 * PAGE, lengthBytes: PAGE };
    expect(small.every((file) => presence.isKnown(file, last))).toBe(true);
    expect(small.every(({ pages }) => pages.maps.get(0)?.length === 2)).toBe(true);
  });
});
