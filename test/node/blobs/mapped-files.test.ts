import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Libc, openLibc } from '../../../src/adapters/node/blobs/libc.ts';
import {
  createMappedFiles,
  type MappedFiles,
  REQUESTS_BEFORE_MAPPED,
} from '../../../src/adapters/node/blobs/mapped-files.ts';
import type { OpenBlob } from '../../../src/adapters/node/blobs/open-files.ts';
import { isSameBytes, patternBytes } from '../../contract/bodies.ts';
import { openBlobOf } from '../kit/open-blob.ts';
import { openSocketPair } from '../kit/socket-pair.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const FILE_BYTES = 1_000_003;

/** Null where this system can't map files: there is nothing to test then. */
const libc = openLibc();

function mappedFile() {
  const folder = temporaryFolder();
  const path = join(folder, 'file');
  const bytes = patternBytes(FILE_BYTES);
  writeFileSync(path, bytes);
  const mapped = createMappedFiles(folder) as MappedFiles;
  const fd = openSync(path, 'r');
  const file = openBlobOf(fd, FILE_BYTES);
  for (let asked = 1; asked < REQUESTS_BEFORE_MAPPED; asked++)
    expect(mapped.isMapped(file, 1)).toBe(false);
  expect(mapped.isMapped(file, 1)).toBe(true);
  onTestFinished(() => {
    mapped.forget(file);
    closeSync(fd);
  });
  return { folder, path, bytes, mapped, file };
}

/** Sends to a file, and gives what came. */
function sendTo(
  folder: string,
  mapped: MappedFiles,
  file: OpenBlob,
  head: string,
  at: number,
  lengthBytes: number,
) {
  const path = join(folder, 'sent');
  const fd = openSync(path, 'w');
  const headBytes = Buffer.from(mapped.head.buffer, 0, mapped.head.length).write(head);
  const taken = mapped.send(fd, headBytes, file, at, lengthBytes);
  closeSync(fd);
  return { taken, sent: readFileSync(path) };
}

it.runIf(process.platform === 'linux')('the mapping is to be had on Linux', () => {
  expect(libc).not.toBeNull();
});

it.skipIf(libc === null)('the mapping sends any range of a hot file behind a head', () => {
  const { folder, bytes, mapped, file } = mappedFile();
  for (const [at, lengthBytes] of [
    [0, 1],
    [4095, 2],
    [12_345, 128 * 1024],
    [FILE_BYTES - 1, 1],
    [0, FILE_BYTES],
  ] as const) {
    const { taken, sent } = sendTo(folder, mapped, file, 'HTTP/1.1 206\r\n\r\n', at, lengthBytes);
    expect(taken).toBe(16 + lengthBytes);
    expect(sent.toString('latin1', 0, 16)).toBe('HTTP/1.1 206\r\n\r\n');
    expect(isSameBytes(sent.subarray(16), bytes.subarray(at, at + lengthBytes))).toBe(true);
  }
});

it.skipIf(libc === null)(
  'the mapping reports how much a socket took, and takes an error for nothing',
  async () => {
    const { bytes, mapped, file } = mappedFile();
    const { server, client } = await openSocketPair();
    const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
    let expected = 0;
    for (let taken = FILE_BYTES; taken === FILE_BYTES; expected += taken) {
      taken = mapped.send(fd, 0, file, 0, FILE_BYTES);
    }
    expect(mapped.send(fd, 0, file, 0, FILE_BYTES)).toBe(0);
    server.end();
    let came = 0;
    for await (const chunk of client) {
      const part = chunk as Buffer;
      const at = came % FILE_BYTES;
      const wanted = Buffer.concat([
        bytes.subarray(at, at + part.length),
        bytes.subarray(0, part.length),
      ]);
      expect(isSameBytes(part, wanted.subarray(0, part.length))).toBe(true);
      came += part.length;
    }
    expect(came).toBe(expected);
    server.destroy();
    expect(mapped.send(-1, 0, file, 0, 10)).toBe(0);
  },
);

it.skipIf(libc === null)(
  'the mapping takes a file that was cut behind its back for an error, not for a crash',
  () => {
    const { folder, path, mapped, file } = mappedFile();
    truncateSync(path, 4096);
    expect(sendTo(folder, mapped, file, '', 8192, 100)).toEqual({
      taken: 0,
      sent: Buffer.alloc(0),
    });
    expect(sendTo(folder, mapped, file, 'head', 8192, 100).sent.toString()).toBe('head');
  },
);

it.skipIf(libc === null)('the mapping forgets a file, and sends nothing of it any more', () => {
  const { folder, path, mapped, file } = mappedFile();
  const isHeld = () => readFileSync('/proc/self/maps', 'utf8').includes(path);
  expect(isHeld()).toBe(true);
  rmSync(path);
  mapped.forget(file);
  mapped.forget(file);
  expect(isHeld()).toBe(false);
  expect(sendTo(folder, mapped, file, 'head', 0, 100)).toEqual({ taken: 0, sent: Buffer.alloc(0) });
  expect(mapped.isMapped(file, 1)).toBe(false);
});

it.skipIf(libc === null)(
  'the mapping maps no file that the system refuses, and not more than its bound',
  () => {
    const folder = temporaryFolder();
    const mapped = createMappedFiles(folder) as MappedFiles;
    const askOften = (file: OpenBlob) =>
      Array.from({ length: 4 * REQUESTS_BEFORE_MAPPED }, () => mapped.isMapped(file, 1));
    expect(askOften(openBlobOf(-1, 100))).not.toContain(true);
    const path = join(folder, 'file');
    writeFileSync(path, 'x');
    const fd = openSync(path, 'r');
    onTestFinished(() => closeSync(fd));
    expect(askOften(openBlobOf(fd, 33 * 1024 ** 3))).not.toContain(true);
    const [large, another] = [openBlobOf(fd, 20 * 1024 ** 3), openBlobOf(fd, 20 * 1024 ** 3)];
    expect([askOften(large).at(-1), askOften(another).at(-1)]).toEqual([true, false]);
    mapped.forget(large);
    expect(askOften(another).at(-1)).toBe(true);
    mapped.forget(another);
  },
);

it('the mapping maps nothing where the library fails its self-test', () => {
  const head = Buffer.alloc(100);
  const given: Libc = {
    head,
    map: () => 4096,
    unmap: () => {},
    writeBehindHead: (_fd, a, _address, b) => a + b,
  };
  expect(createMappedFiles(temporaryFolder(), null)).toBeNull();
  expect(createMappedFiles(temporaryFolder(), given)).toBeNull();
  expect(createMappedFiles(temporaryFolder(), { ...given, map: () => null })).toBeNull();
  expect(
    createMappedFiles(temporaryFolder(), {
      ...given,
      map() {
        throw new Error('No such function.');
      },
    }),
  ).toBeNull();
});
