// How far a transfer is, and how fast: counted by pieces, which may also go back.

export type Progress = {
  readonly sentBytes: number;
  /** Null: nobody knows yet. */
  readonly totalBytes: number | null;
  readonly bytesPerSecond: number;
  /** Null: nobody knows yet. */
  readonly secondsLeft: number | null;
};

/** Over so long the speed is measured, milliseconds. */
const WINDOW_MS = 5000;
/** Shortest time between two reports, milliseconds. */
const REPORT_EVERY_MS = 100;

export type Meter = {
  /** How much of a piece has gone by now. */
  set(piece: number, bytes: number): void;
  /** Bytes that were there before: they count, but not as speed. */
  skip(piece: number, bytes: number): void;
  setTotal(bytes: number): void;
  now(): Progress;
  /** Reports the last state, whenever the one before was. */
  flush(): void;
};

export function createMeter(
  totalBytes: number | null,
  onProgress: ((progress: Progress) => void) | undefined,
): Meter {
  const pieces = new Map<number, number>();
  const samples: { readonly atMs: number; readonly bytes: number }[] = [];
  let total = totalBytes;
  let sentBytes = 0;
  let skippedBytes = 0;
  let reportedAtMs = 0;

  function now(): Progress {
    const [first, last] = [samples[0], samples.at(-1)];
    const ms = first === undefined || last === undefined ? 0 : last.atMs - first.atMs;
    const bytes = first === undefined || last === undefined ? 0 : last.bytes - first.bytes;
    const bytesPerSecond = ms > 0 ? Math.max(0, (bytes * 1000) / ms) : 0;
    const isKnown = total !== null && bytesPerSecond > 0;
    return {
      sentBytes,
      totalBytes: total,
      bytesPerSecond,
      secondsLeft: isKnown ? Math.max(0, ((total ?? 0) - sentBytes) / bytesPerSecond) : null,
    };
  }

  function flush(): void {
    reportedAtMs = Date.now();
    onProgress?.(now());
  }

  function add(piece: number, bytes: number): void {
    sentBytes += bytes - (pieces.get(piece) ?? 0);
    pieces.set(piece, bytes);
  }

  samples.push({ atMs: Date.now(), bytes: 0 });
  return {
    set(piece, bytes) {
      add(piece, bytes);
      const atMs = Date.now();
      samples.push({ atMs, bytes: sentBytes - skippedBytes });
      while (samples.length > 2 && atMs - (samples[0]?.atMs ?? atMs) > WINDOW_MS) samples.shift();
      if (atMs - reportedAtMs >= REPORT_EVERY_MS) flush();
    },
    skip(piece, bytes) {
      add(piece, bytes);
      skippedBytes += bytes;
    },
    setTotal(bytes) {
      total = bytes;
    },
    now,
    flush,
  };
}
