// Notes of the data folder: what can't be read counts as lost, and a lost note is only repeated.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readStateFile, writeStateFile } from '../../../src/adapters/node/disk/state-file.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

it('a note is read as it was written, and the newer one replaces the older', async () => {
  const path = join(temporaryFolder(), 'note.json');
  expect(readStateFile(path)).toBe(null);
  for (const note of [{ level: 'low', at: [1] }, {}]) {
    await writeStateFile(path, note);
    expect(readStateFile(path)).toEqual(note);
  }
});

it.each(['', '{', 'null', '5', '"level"', 'true'])('%j is no note', (text) => {
  const path = join(temporaryFolder(), 'note.json');
  writeFileSync(path, text);
  expect(readStateFile(path)).toBe(null);
});
