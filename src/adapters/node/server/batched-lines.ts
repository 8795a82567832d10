// Lines that go out in batches, for the access log of the Node home: whoever writes one never
// waits, and what a slow disk or reader can't take is dropped and counted, so that memory has a
// bound. It knows no file: the target is given.
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { LineSink, Log } from '../../../ports/system.ts';

/** Where batches go. `write` resolves when the bytes are taken; never two at a time. */
export type LineTarget = {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

export type BatchedLines = LineSink & {
  /** Opens the target anew and closes the old one: what came before this call may be in either. */
  reopen(): void;
  /** Writes what waits, for at most `limitMs`, and closes. */
  close(limitMs: number): Promise<void>;
  families(): readonly MetricFamily[];
};

/** A batch goes out when it has so many characters, or when its first line is so old. */
const BATCH_LENGTH = 64 * 1024;
const BATCH_MS = 250;
/** Characters that may wait while a batch is written: some seconds of a busy server. */
const WAITING_MAX_LENGTH = 4 * 1024 * 1024;
/** A target that fails says so at each batch; the log hears of it once in so many milliseconds. */
const COMPLAIN_EVERY_MS = 60_000;

const encoder = new TextEncoder();

/** Opens the target. Rejects when that fails. */
export async function openBatchedLines(
  open: () => Promise<LineTarget>,
  log: Log,
): Promise<BatchedLines> {
  let target = await open();
  let waiting = '';
  let waitingLines = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing: Promise<void> | null = null;
  let wantsReopen = false;
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

  async function writeBatch(): Promise<void> {
    const [text, lines] = [waiting, waitingLines];
    waiting = '';
    waitingLines = 0;
    try {
      await target.write(encoder.encode(isBroken ? `\n${text}` : text));
      isBroken = false;
      written += lines;
    } catch (cause) {
      isBroken = true;
      dropped += lines;
      complain(cause);
    }
  }

  async function openAnew(): Promise<void> {
    wantsReopen = false;
    const old = target;
    try {
      target = await open();
      isBroken = false;
    } catch (cause) {
      complain(cause);
      return;
    }
    await old.close().catch(complain);
  }

  async function work(): Promise<void> {
    do {
      if (waiting !== '') await writeBatch();
      if (wantsReopen) await openAnew();
    } while (wantsReopen || waiting.length >= BATCH_LENGTH);
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
      if (waiting.length + line.length > WAITING_MAX_LENGTH) {
        dropped += 1;
        return;
      }
      waiting += `${line}\n`;
      waitingLines += 1;
      if (writing !== null) return;
      if (waiting.length >= BATCH_LENGTH) flush();
      else schedule();
    },
    reopen() {
      wantsReopen = true;
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
      await Promise.race([finish().catch(complain), limit.promise]);
      clearTimeout(limitTimer);
    },
    families: () => [
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
