import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newKnownPages } from '../../../src/adapters/node/blobs/known-pages.ts';
import type { OpenBlob } from '../../../src/adapters/node/blobs/open-files.ts';
import { createQuickReads, type QuickReads } from '../../../src/adapters/node/blobs/quick-reads.ts';
import type { BlobRange } from '../../../src/ports/blob-store.ts';
import { isSameBytes, patternBytes } from '../../contract/bodies.ts';
import { openBlobOf } from '../kit/open-blob.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const PAGE = 4096;
const FILE_BYTES = 64 * PAGE;

function readIfKnown(
  quick: QuickReads,
  file: OpenBlob,
  range: BlobRange,
  into: Buffer,
): number | null {
  return quick.isKnown(file, range) ? quick.read(file, into, 0, range) : null;
}

/**
 * A file, a clock that a read moves by `readMs`, and a disk that is waited for when the test says
 * so.
 */
function setUp() {
  const path = join(temporaryFolder(), 'file');
  const bytes = patternBytes(FILE_BYTES);
  writeFileSync(path, bytes);
  const file = openBlobOf(openSync(path, 'r'), FILE_BYTES);
  const state = { nowMs: 1000, readMs: 0.01, diskReads: 0 };
  let looks = 0;
  const quick = createQuickReads({
    // A read looks twice, and not a third time.
    nowMs() {
      looks += 1;
      if (looks % 2 === 0) state.nowMs += state.readMs;
      return state.nowMs;
    },
    diskReads: () => state.diskReads,
  });
  const buffer = Buffer.alloc(FILE_BYTES);
  const tryRead = (lengthBytes: number, position: number) => {
    const before = looks;
    const read = readIfKnown(quick, file, { offsetBytes: position, lengthBytes }, buffer);
    // One that was paused looked once: the next must not be taken for its end.
    if ((looks - before) % 2 === 1) looks += 1;
    return read;
  };
  return { file, quick, tryRead, buffer, bytes, state };
}

describe('quick reads', () => {
  it('are of pages that were read before, and no others', () => {
    const { file, quick, tryRead, buffer, bytes } = setUp();
    expect(tryRead(10, 0)).toBeNull();
    quick.notePresent(file, 2 * PAGE, PAGE + 5);
    expect(tryRead(10, 0)).toBeNull();
    expect(tryRead(2 * PAGE, PAGE)).toBe(2 * PAGE);
    expect(isSameBytes(buffer.subarray(0, 2 * PAGE), bytes.subarray(PAGE, 3 * PAGE))).toBe(true);
    // Five bytes of the fourth page came along with its page.
    expect(tryRead(PAGE, 3 * PAGE)).toBe(PAGE);
    expect(tryRead(PAGE + 1, 3 * PAGE)).toBeNull();
  });

  it('are never long', () => {
    const { file, quick, tryRead } = setUp();
    quick.notePresent(file, FILE_BYTES, 0);
    expect(tryRead(128 * 1024, 0)).toBe(128 * 1024);
    expect(tryRead(128 * 1024 + 1, 0)).toBeNull();
  });

  it('of another file are others', () => {
    const { file, quick, buffer } = setUp();
    quick.notePresent(file, PAGE, 0);
    expect(
      readIfKnown(
        quick,
        { ...file, pages: newKnownPages() },
        { offsetBytes: 0, lengthBytes: 10 },
        buffer,
      ),
    ).toBeNull();
  });

  it('cool down after long waits for a disk, so that these take a fiftieth of the time', () => {
    const { file, quick, tryRead, state } = setUp();
    quick.notePresent(file, PAGE, 0);
    const sinceMs = state.nowMs;
    let waitedMs = 0;
    while (state.nowMs - sinceMs < 10_000) {
      Object.assign(state, { readMs: 5, diskReads: state.diskReads + 1 });
      if (tryRead(10, 0) === null) state.nowMs += 1;
      else waitedMs += 5;
    }
    expect(waitedMs).toBeGreaterThan(10_000 / 50);
    expect(waitedMs).toBeLessThanOrEqual(10_000 / 50 + 20 + 5);
    // The disk is left alone, and the pause ends.
    state.readMs = 0.01;
    state.nowMs += 5000;
    for (let i = 0; i < 100; i++) expect(tryRead(10, 0)).toBe(10);
  });

  it('do not pause for a wait now and then', () => {
    const { file, quick, tryRead, state } = setUp();
    quick.notePresent(file, PAGE, 0);
    for (let i = 0; i < 100; i++) {
      Object.assign(state, { readMs: 4, diskReads: state.diskReads + 1 });
      expect(tryRead(10, 0)).toBe(10);
      state.nowMs += 200;
    }
  });

  it('do not cool down for a machine that was busy otherwise, unless that goes on and on', () => {
    const { file, quick, tryRead, state } = setUp();
    quick.notePresent(file, PAGE, 0);
    for (const readMs of Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 3 : 0.1))) {
      state.readMs = readMs;
      expect(tryRead(10, 0)).toBe(10);
    }
    state.readMs = 3;
    const given = Array.from({ length: 20 }, () => tryRead(10, 0));
    expect(given.indexOf(null)).toBe(8);
  });

  it('leave failures to the pool', () => {
    const { file, quick, buffer } = setUp();
    const broken = { ...file, fd: -1 };
    quick.notePresent(broken, PAGE, 0);
    expect(readIfKnown(quick, broken, { offsetBytes: 0, lengthBytes: 10 }, buffer)).toBeNull();
  });
});

describe('sends from a mapping', () => {
  function setUp() {
    const state = { nowMs: 1000, majorFaults: 0 };
    const quick = createQuickReads({
      nowMs: () => state.nowMs,
      diskReads: () => 0,
      majorFaults: () => state.majorFaults,
    });
    /** Whether one may begin; it takes so long. */
    const send = (tookMs: number, faults = 0): boolean => {
      const startMs = quick.beginSend();
      if (startMs === null) return false;
      state.nowMs += tookMs;
      state.majorFaults += faults;
      quick.endSend(startMs, 65_536);
      return true;
    };
    return { state, send };
  }

  it('may take as long as their sockets do', () => {
    const { send } = setUp();
    for (let sent = 0; sent < 50; sent++) expect(send(5)).toBe(true);
  });

  it('pause after one that waited for a page, for fifty times as long as it waited', () => {
    const { state, send } = setUp();
    expect(send(0.1, 1)).toBe(true);
    // Too short for a disk, so not looked at; the next that is long finds it.
    expect(send(2)).toBe(true);
    expect(send(0.1)).toBe(false);
    state.nowMs += 90;
    expect(send(0.1)).toBe(false);
    state.nowMs += 20;
    expect(send(0.1)).toBe(true);
  });
});
