// The cursor of a pass of the scrub, stored in the data folder so that a restart
// goes on there.
import { FIRST_VERSION, type VersionCursor } from '../../../index/maintenance/inventory.ts';
import { FIRST_PART, type PartCursor } from '../../../index/maintenance/inventory-parts.ts';
import { readStateFile, type StateNote, writeStateFile } from '../disk/state-file.ts';

/**
 * A pass goes over current objects, then over older versions, then over parts of
 * uploads.
 */
export type ScrubCursor =
  | { readonly phase: 'objects' | 'versions'; readonly after: VersionCursor }
  | { readonly phase: 'parts'; readonly after: PartCursor };

/** A pass. `cursor` null: the pass that began then is over. */
export type ScrubState = { readonly startedAtMs: number; readonly cursor: ScrubCursor | null };

export const FIRST_CURSOR: ScrubCursor = { phase: 'objects', after: FIRST_VERSION };

/** Where the next phase begins; null behind the last. */
export function cursorBehindPhase(phase: ScrubCursor['phase']): ScrubCursor | null {
  if (phase === 'objects') return { phase: 'versions', after: FIRST_VERSION };
  return phase === 'versions' ? { phase: 'parts', after: FIRST_PART } : null;
}

/** Reads the state; null: no pass was ever begun, or the note can't be used. */
export function readScrubState(path: string): ScrubState | null {
  const note = readStateFile(path);
  if (note === null || typeof note.startedAtMs !== 'number') return null;
  const { startedAtMs, place } = note;
  return { startedAtMs, cursor: place === null ? null : (parseCursor(place) ?? FIRST_CURSOR) };
}

/** Stores the state. The file calls the cursor `place`. */
export function writeScrubState(path: string, { startedAtMs, cursor }: ScrubState): Promise<void> {
  return writeStateFile(path, { startedAtMs, place: cursor });
}

function parseCursor(noted: unknown): ScrubCursor | null {
  const { phase, after } = (noted ?? {}) as StateNote;
  const { bucket, key, versionId, uploadId, partNumber, joinedKey } = (after ?? {}) as StateNote;
  if (typeof bucket !== 'number') return null;
  if (phase === 'parts') {
    const isCursor = typeof uploadId === 'string' && typeof partNumber === 'number';
    if (!isCursor) return null;
    const ofRow = { bucket, uploadId, partNumber };
    return { phase, after: typeof joinedKey === 'string' ? { ...ofRow, joinedKey } : ofRow };
  }
  const isCursor = typeof key === 'string' && typeof versionId === 'string';
  return isCursor && (phase === 'objects' || phase === 'versions')
    ? { phase, after: { bucket, key, versionId } }
    : null;
}
