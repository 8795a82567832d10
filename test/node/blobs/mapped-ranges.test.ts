// Ranges of a file that the program has mapped into its memory, as clients see them.
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLibc } from '../../../src/adapters/node/blobs/libc.ts';
import { isSameBytes, patternBytes } from '../../contract/bodies.ts';
import { startNodeProcess } from '../kit/node-process.ts';
import { aws, expectOk, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const OBJECT_BYTES = 24 * 1024 * 1024;
const RANGE_BYTES = 64 * 1024;
const SLICE_BYTES = 128 * 1024;
const RANGES = 300;
const CUT_AT = 17.5 * 1024 * 1024;

/** A start of a range for each number, all over the object. */
const startOf = (at: number) => (at * 7_919_993) % (OBJECT_BYTES - RANGE_BYTES);

/** A server with little memory and one public object, and what a client gets of it. */
async function startWithObject(mappedFiles: string) {
  const folder = temporaryFolder();
  const node = await startNodeProcess(folder, {
    QUAYSIDE_MAPPED_FILES: mappedFiles,
    QUAYSIDE_BODY_MEMORY_BYTES: `${1024 * 1024}`,
    QUAYSIDE_BODY_MEMORY_MAX_BODY_BYTES: `${SLICE_BYTES}`,
  });
  const body = patternBytes(OBJECT_BYTES);
  const url = `${node.url}/public/object`;
  const put = (bytes: Uint8Array<ArrayBuffer>) =>
    expectOk(
      aws.fetch(url, { method: 'PUT', body: bytes, headers: { 'x-amz-acl': 'public-read' } }),
    );
  await expectOk(aws.fetch(`${node.url}/public`, { method: 'PUT' }));
  await put(body);
  const rangeFrom = (start: number, lengthBytes = RANGE_BYTES) =>
    fetch(url, { headers: { range: `bytes=${start}-${start + lengthBytes - 1}` } });
  return { folder, node, body, put, rangeFrom };
}

it.each([
  ['on', true],
  ['off', false],
])('mapped ranges are right to their end, files %s', async (mappedFiles, mapsFiles) => {
  const { folder, node, body, put, rangeFrom } = await startWithObject(mappedFiles);
  const client = connect(Number(new URL(node.url).port), '127.0.0.1');
  const isMapped = () =>
    readFileSync(`/proc/${node.child.pid}/maps`, 'utf8').includes(`${folder}/blobs/`);
  const chunks: Buffer[] = [];
  let wake = () => {};
  client.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    wake();
  });
  /** One answer: its head and its body. */
  async function ask(start: number): Promise<{ head: string; range: Buffer }> {
    chunks.length = 0;
    const range = `bytes=${start}-${start + RANGE_BYTES - 1}`;
    client.write(`GET /public/object HTTP/1.1\r\nHost: h\r\nRange: ${range}\r\n\r\n`);
    for (;;) {
      const came = Buffer.concat(chunks);
      const headEnd = came.indexOf('\r\n\r\n') + 4;
      if (headEnd > 3 && came.length >= headEnd + RANGE_BYTES)
        return { head: came.toString('latin1', 0, headEnd), range: came.subarray(headEnd) };
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  for (let at = 0; at < RANGES; at++) {
    const start = startOf(at);
    const { head, range } = await ask(start);
    expect(head).toMatch(/^HTTP\/1\.1 206 Partial Content\r\n/);
    expect(head).toContain(
      `content-range: bytes ${start}-${start + RANGE_BYTES - 1}/${OBJECT_BYTES}\r\n`,
    );
    expect(isSameBytes(range, body.subarray(start, start + RANGE_BYTES))).toBe(true);
  }
  expect(isMapped()).toBe(mapsFiles && openLibc() !== null);

  // Many at once, each from another connection, which the loop sends one behind the other.
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const start = startOf(at * 31);
      const answer = await rangeFrom(start);
      return isSameBytes(
        new Uint8Array(await answer.arrayBuffer()),
        body.subarray(start, start + RANGE_BYTES),
      );
    }),
  );
  expect(answers).not.toContain(false);

  // The next request sees what is new, and nothing of the old.
  const other = body.toReversed();
  await put(other);
  const { range } = await ask(startOf(1));
  expect(isSameBytes(range, other.subarray(startOf(1), startOf(1) + RANGE_BYTES))).toBe(true);
  client.destroy();
  expect(node.stderr()).toBe('');
});

it.runIf(openLibc() !== null)(
  'mapped ranges of a file that was cut are errors that are reported',
  async () => {
    const { folder, node, rangeFrom } = await startWithObject('on');
    for (let at = 0; at < 40; at++) await (await rangeFrom(startOf(at))).arrayBuffer();
    const blob = readdirSync(join(folder, 'blobs'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, 'blobs', name))
      .find((path) => statSync(path).size >= OBJECT_BYTES);
    truncateSync(blob ?? '', CUT_AT);
    const status = async (start: number, lengthBytes = RANGE_BYTES) => {
      const answer = await rangeFrom(start, lengthBytes);
      return [answer.status, (await answer.arrayBuffer()).byteLength > 0];
    };
    // What is streamed ends with its connection; what memory is to keep is read before its head.
    let refused: unknown = null;
    let cutOff = 0;
    for (; refused === null && cutOff < 20; cutOff += refused === null ? 1 : 0)
      refused = await status(180 * SLICE_BYTES, SLICE_BYTES).catch(() => null);
    expect(refused).toEqual([500, true]);
    // The head is sent, and then there is nothing more.
    await expect(status(CUT_AT - RANGE_BYTES / 2)).rejects.toThrow();
    await expect
      .poll(() => node.stderr().match(/request-failed|body-failed/g))
      .toEqual([...Array(cutOff).fill('body-failed'), 'request-failed', 'body-failed']);
    await expect(status(CUT_AT - RANGE_BYTES)).resolves.toEqual([206, true]);
  },
);
