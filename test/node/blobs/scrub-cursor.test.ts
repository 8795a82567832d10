// The stored cursor of a scrub: read as it was written; what can't be used begins a pass anew.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  cursorBehindPhase,
  FIRST_CURSOR,
  readScrubState,
  type ScrubCursor,
  writeScrubState,
} from '../../../src/adapters/node/scrub/scrub-cursor.ts';
import { FIRST_VERSION } from '../../../src/index/maintenance/inventory.ts';
import { FIRST_PART } from '../../../src/index/maintenance/inventory-parts.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const version = { bucket: 3, key: 'k', versionId: 'v' };
const part = { bucket: 3, uploadId: 'u', partNumber: 7 };

function readOf(note: unknown) {
  const path = join(temporaryFolder(), 'scrub.json');
  writeFileSync(path, JSON.stringify(note));
  return readScrubState(path);
}

it.each([
  { phase: 'objects', after: version },
  { phase: 'versions', after: version },
  { phase: 'parts', after: part },
  null,
] as (ScrubCursor | null)[])('%j is read as it was written', async (cursor) => {
  const path = join(temporaryFolder(), 'scrub.json');
  expect(readScrubState(path)).toBeNull();
  await writeScrubState(path, { startedAtMs: 5, cursor });
  expect(readScrubState(path)).toEqual({ startedAtMs: 5, cursor });
});

it.each([
  'somewhere',
  {},
  { phase: 'objects' },
  { phase: 'objects', after: part },
  { phase: 'parts', after: version },
  { phase: 'other', after: version },
  { phase: 'objects', after: { ...version, bucket: '3' } },
  { phase: 'objects', after: { ...version, key: null } },
  { phase: 'versions', after: { ...version, versionId: 1 } },
  { phase: 'parts', after: { ...part, uploadId: 1 } },
  { phase: 'parts', after: { ...part, partNumber: '7' } },
])('%j is no cursor, and the pass begins anew', (place) => {
  expect(readOf({ startedAtMs: 5, place })).toEqual({ startedAtMs: 5, cursor: FIRST_CURSOR });
});

it.each([{}, { startedAtMs: '5', place: null }])('%j is no pass', (note) => {
  expect(readOf(note)).toBeNull();
});

it('a pass goes over objects, older versions and parts', () => {
  expect(FIRST_CURSOR).toEqual({ phase: 'objects', after: FIRST_VERSION });
  expect(cursorBehindPhase('objects')).toEqual({ phase: 'versions', after: FIRST_VERSION });
  expect(cursorBehindPhase('versions')).toEqual({ phase: 'parts', after: FIRST_PART });
  expect(cursorBehindPhase('parts')).toBeNull();
});
