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
  const begun = { atMs: Date.now(), bytes: 0 };
  const samples = [begun];
  let total = totalBytes;
  let sentBytes = 0;
  let skippedBytes = 0;
  let reportedAtMs = 0;

  function now(): Progress {
    const [first, last] = [samples[0] ?? begun, samples.at(-1) ?? begun];
    const ms = last.atMs - first.atMs;
    const bytesPerSecond = ms > 0 ? Math.max(0, ((last.bytes - first.bytes) * 1000) / ms) : 0;
    const secondsLeft =
      total !== null && bytesPerSecond > 0
        ? Math.max(0, (total - sentBytes) / bytesPerSecond)
        : null;
    return { sentBytes, totalBytes: total, bytesPerSecond, secondsLeft };
  }

  function flush(): void {
    reportedAtMs = Date.now();
    onProgress?.(now());
  }

  function add(piece: number, bytes: number): void {
    sentBytes += bytes - (pieces.get(piece) ?? 0);
    pieces.set(piece, bytes);
  }

  return {
    set(piece, bytes) {
      add(piece, bytes);
      const atMs = Date.now();
      samples.push({ atMs, bytes: sentBytes - skippedBytes });
      while (samples.length > 2 && atMs - (samples[0] ?? begun).atMs > WINDOW_MS) samples.shift();
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
