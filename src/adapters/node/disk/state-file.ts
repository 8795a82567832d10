// State that a restart should find again, as small JSON files of the data folder.
// To lose one costs a repetition, never data, so nothing is synced and a full disk
// is no failure.
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { errnoOf, translateError } from '../blobs/fs-errors.ts';

export type StateNote = Readonly<Record<string, unknown>>;

/** The stored note; null where there is none, or none that can be read. */
export function readStateFile(path: string): StateNote | null {
  try {
    const note: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof note === 'object' && note !== null ? (note as StateNote) : null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Replaces the note. A full disk leaves the old one. */
export async function writeStateFile(path: string, note: StateNote): Promise<void> {
  try {
    await writeFile(`${path}.new`, JSON.stringify(note), { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (error) {
    const failure = translateError(error, 'A note could not be kept.');
    if (failure.code !== 'StorageFull') throw failure;
  }
}
