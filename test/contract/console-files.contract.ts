// What every adapter of the console's files must do: give the list and the bytes that a build has
// left, see a build that comes later, and say what is wrong with one that is broken.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ConsoleFiles } from '../../src/ports/console-files.ts';
import { CONSOLE_FILES, consoleFolderFiles, SCRIPT_TEXT } from '../http/console/console-fixture.ts';

/** A folder, or what stands for it, that a test fills; `files` is the port over it. */
export type ConsoleFolderSubject = {
  readonly files: ConsoleFiles;
  readonly fill: (files: ReadonlyMap<string, Uint8Array>) => Promise<void>;
};

const SCRIPT = 'assets/main-4f2a.js';
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export function consoleFilesContract(subject: {
  readonly name: string;
  readonly make: () => Promise<ConsoleFolderSubject>;
}): void {
  describe(`console files: ${subject.name}`, () => {
    it('are those of the list, plain and coded', async () => {
      const { files, fill } = await subject.make();
      await fill(consoleFolderFiles());
      const opened = await files.open();
      expect([...(opened?.list.keys() ?? [])].sort()).toEqual([...CONSOLE_FILES.keys()].sort());
      const { type, digest, codings } = CONSOLE_FILES.get(SCRIPT) ?? {};
      expect(opened?.list.get(SCRIPT)).toEqual({ type, digest, codings });

      const read = async (coding: 'br' | 'gzip' | null) =>
        (await opened?.read(SCRIPT, coding)) ?? new Uint8Array();
      expect(decoder.decode(await read(null))).toBe(SCRIPT_TEXT);
      expect(decoder.decode(brotliDecompressSync(await read('br')))).toBe(SCRIPT_TEXT);
      expect(decoder.decode(gunzipSync(await read('gzip')))).toBe(SCRIPT_TEXT);
      expect(opened?.list.get('assets/logo-77aa.png')?.codings).toEqual([]);
    });

    it('are none before a build, and there after it', async () => {
      const { files, fill } = await subject.make();
      expect(await files.open()).toBeNull();
      await fill(consoleFolderFiles());
      expect((await files.open())?.list.size).toBe(CONSOLE_FILES.size);
    });

    it.each([
      ['no JSON', '{'],
      ['another version', '{"version":2,"files":{}}'],
      ['no index.html', '{"version":1,"files":{}}'],
      [
        'a path that leaves the folder',
        `{"version":1,"files":{"../secret":{"type":"text/plain","digest":"${'0'.repeat(64)}"}}}`,
      ],
      ['an entry without a digest', '{"version":1,"files":{"index.html":{"type":"text/html"}}}'],
    ])('are refused for a list with %s', async (_, list) => {
      const { files, fill } = await subject.make();
      await fill(new Map([['files.json', encoder.encode(list)]]));
      await expect(files.open()).rejects.toThrow();
    });
  });
}
