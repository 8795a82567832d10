// Where a pass of the scrub is, kept in the data folder so that a restart goes on there.
import {
  FIRST_PART,
  FIRST_VERSION,
  type PartCursor,
  type VersionCursor,
} from '../../../index/maintenance/inventory.ts';
import { readStateFile, type StateNote, writeStateFile } from '../disk/state-file.ts';

/** A pass goes over current objects, then over older versions, then over parts of uploads. */
export type ScrubCursor =
  | { readonly phase: 'objects' | 'versions'; readonly after: VersionCursor }
  | { readonly phase: 'parts'; readonly after: PartCursor };

/** `place` null: the pass that began then is over. */
export type ScrubState = { readonly startedAtMs: number; readonly place: ScrubCursor | null };

export const FIRST_PLACE: ScrubCursor = { phase: 'objects', after: FIRST_VERSION };

/** Where the next phase begins; null behind the last. */
export function placeBehind(phase: ScrubCursor['phase']): ScrubCursor | null {
  if (phase === 'objects') return { phase: 'versions', after: FIRST_VERSION };
  return phase === 'versions' ? { phase: 'parts', after: FIRST_PART } : null;
}

/** Null: no pass was ever begun, or what is noted can't be used. */
export function readScrubState(path: string): ScrubState | null {
  const note = readStateFile(path);
  if (note === null || typeof note.startedAtMs !== 'number') return null;
  const { startedAtMs } = note;
  return { startedAtMs, place: note.place === null ? null : (placeOf(note.place) ?? FIRST_PLACE) };
}

export function writeScrubState(path: string, state: ScrubState): Promise<void> {
  return writeStateFile(path, state);
}

function placeOf(noted: unknown): ScrubCursor | null {
  const { phase, after } = (noted ?? {}) as StateNote;
  const { bucket, key, versionId, uploadId, partNumber } = (after ?? {}) as StateNote;
  if (typeof bucket !== 'number') return null;
  if (phase === 'parts') {
    const isCursor = typeof uploadId === 'string' && typeof partNumber === 'number';
    return isCursor ? { phase, after: { bucket, uploadId, partNumber } } : null;
  }
  const isCursor = typeof key === 'string' && typeof versionId === 'string';
  return isCursor && (phase === 'objects' || phase === 'versions')
    ? { phase, after: { bucket, key, versionId } }
    : null;
}
