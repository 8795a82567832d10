import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readExactly, removeQuietly } from '../../../src/adapters/node/blobs/file-calls.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

it.each([
  [0, 4, 'abcd'],
  [2, 4, 'cd'],
  [4, 4, ''],
  [9, 4, ''],
  [1, 0, ''],
])(
  'a read from %i on gives %i bytes, or as many as the file has',
  async (offsetBytes, lengthBytes, text) => {
    const file = join(temporaryFolder(), 'short');
    writeFileSync(file, 'abcd');
    const fd = openSync(file, 'r');
    try {
      expect((await readExactly(fd, offsetBytes, lengthBytes)).toString()).toBe(text);
    } finally {
      closeSync(fd);
    }
  },
);

it('a removal is done once it says so, and says nothing of a file that is gone', async () => {
  const file = join(temporaryFolder(), 'left over');
  writeFileSync(file, 'abcd');
  for (const _ of [1, 2]) {
    await removeQuietly(file);
    expect(existsSync(file)).toBe(false);
  }
});
