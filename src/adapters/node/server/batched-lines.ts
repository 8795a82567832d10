// Lines that go out in batches, for the access log of the Node platform. A writer
// never waits; lines that a slow disk or reader can't take are dropped and counted,
// so that memory has a bound. It knows no file: access-log-target.ts opens the
// target.
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { LineSink, Log } from '../../../ports/system.ts';

/**
 * Where batches go. `write` resolves when the bytes are taken; never two at a time.
 */
export type LineTarget = {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

export type BatchedLines = LineSink & {
  /**
   * Opens the target anew and closes the old one; earlier lines may be in either.
   */
  reopen(): void;
  /** Writes the lines that wait, for at most `limitMs`, and closes. */
  close(limitMs: number): Promise<void>;
  families(): readonly MetricFamily[];
};

/** Characters of a batch, and age of its first line, ms, at which it goes out. */
const BATCH_LENGTH = 64 * 1024;
const BATCH_MS = 250;
/**
 * Characters that may wait while a batch is written: some seconds of a busy server.
 */
const WAITING_MAX_LENGTH = 4 * 1024 * 1024;
/**
 * Least time between two log lines about a target that fails at each batch,
 * milliseconds.
 */
const COMPLAIN_EVERY_MS = 60_000;

const encoder = new TextEncoder();

/** Opens the target. Rejects when that fails. */
export async function openBatchedLines(
  open: () => Promise<LineTarget>,
  log: Log,
): Promise<BatchedLines> {
  const target = await openReportingTarget(open, log);
  let waiting = '';
  let waitingLines = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> | null = null;
  let isReopenDue = false;

  async function writeBatch(): Promise<void> {
    const text = waiting;
    const lines = waitingLines;
    waiting = '';
    waitingLines = 0;
    await target.write(text, lines);
  }

  async function work(): Promise<void> {
    do {
      if (waiting !== '') await writeBatch();
      if (isReopenDue) {
        isReopenDue = false;
        await target.reopen();
      }
    } while (isReopenDue || waiting.length >= BATCH_LENGTH);
  }

  /** Writes now, unless that is under way; it goes on by itself. */
  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (writing !== null) return;
    writing = work().finally(() => {
      writing = null;
      if (waiting !== '') schedule();
    });
  }

  function schedule(): void {
    timer ??= setTimeout(flush, BATCH_MS).unref();
  }

  return {
    write(line) {
      if (waiting.length + line.length > WAITING_MAX_LENGTH) return target.noteDropped();
      waiting += `${line}\n`;
      waitingLines += 1;
      if (writing !== null) return;
      if (waiting.length >= BATCH_LENGTH) flush();
      else schedule();
    },
    reopen() {
      isReopenDue = true;
      flush();
    },
    async close(limitMs) {
      const limit = Promise.withResolvers<void>();
      const limitTimer = setTimeout(limit.resolve, limitMs);
      const finish = async () => {
        while (writing !== null || waiting !== '') {
          flush();
          await writing;
        }
        await target.close();
      };
      await Promise.race([finish(), limit.promise]);
      clearTimeout(limitTimer);
    },
    families: target.families,
  };
}

/**
 * A target that never fails: it counts lines as written or dropped, and logs why.
 */
async function openReportingTarget(open: () => Promise<LineTarget>, log: Log) {
  let target = await open();
  /** Part of a batch may stand in the target: the next begins a new line. */
  let isBroken = false;
  let complainedAtMs = Number.NEGATIVE_INFINITY;
  let written = 0;
  let dropped = 0;

  function complain(cause: unknown): void {
    const nowMs = performance.now();
    if (nowMs - complainedAtMs < COMPLAIN_EVERY_MS) return;
    complainedAtMs = nowMs;
    log.error('access-log-failed', { cause, dropped });
  }

  return {
    async write(text: string, lines: number): Promise<void> {
      try {
        await target.write(encoder.encode(isBroken ? `\n${text}` : text));
        isBroken = false;
        written += lines;
      } catch (cause) {
        isBroken = true;
        dropped += lines;
        complain(cause);
      }
    },

    async reopen(): Promise<void> {
      const former = target;
      try {
        target = await open();
        isBroken = false;
      } catch (cause) {
        complain(cause);
        return;
      }
      await former.close().catch(complain);
    },

    noteDropped(): void {
      dropped += 1;
    },
    close: (): Promise<void> => target.close().catch(complain),
    families: (): readonly MetricFamily[] => [
      metricFamily(
        'counter',
        'quayside_access_log_lines_total',
        'Lines of the access log that were written.',
        [[{}, written]],
      ),
      metricFamily(
        'counter',
        'quayside_access_log_dropped_total',
        'Lines that were dropped instead.',
        [[{}, dropped]],
      ),
    ],
  };
}
