// Lines of the access log on their way to the first thread: in batches, each soon and each once.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createThreadLog } from '../../../src/adapters/node/threads/thread-log.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function openLog() {
  const sent: string[] = [];
  const log = createThreadLog(async (lines) => sent.push(lines));
  return { log, sent };
}

it('the log of a thread sends the lines of 50 ms together, and nothing without any', async () => {
  const { log, sent } = openLog();
  log.write('a');
  await vi.advanceTimersByTimeAsync(30);
  log.write('b');
  await vi.advanceTimersByTimeAsync(19);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual(['a\nb']);
  await vi.advanceTimersByTimeAsync(1000);
  await log.flush();
  expect(sent).toEqual(['a\nb']);
});

it('the log of a thread sends 32 KiB at once, and counts the next batch anew', async () => {
  const { log, sent } = openLog();
  const line = 'x'.repeat(16 * 1024);
  log.write(line);
  expect(sent).toEqual([]);
  log.write(line);
  expect(sent).toEqual([`${line}\n${line}`]);
  log.write(line);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(50);
  expect(sent).toEqual([`${line}\n${line}`, line]);
});

it('the log of a thread gives a line behind a flush all of its time', async () => {
  const { log, sent } = openLog();
  log.write('a');
  await vi.advanceTimersByTimeAsync(40);
  await log.flush();
  log.write('b');
  await vi.advanceTimersByTimeAsync(49);
  expect(sent).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toEqual(['a', 'b']);
});

it('the log of a thread flushes once all is sent, also where the first one has gone', async () => {
  let arrive = () => {};
  const log = createThreadLog(() => new Promise<void>((resolve) => (arrive = resolve)));
  log.write('a');
  let isFlushed = false;
  const flushed = log.flush().then(() => (isFlushed = true));
  await Promise.resolve();
  expect(isFlushed).toBe(false);
  arrive();
  await flushed;

  const orphaned = createThreadLog(() => Promise.reject(new Error('gone')));
  orphaned.write('a');
  await expect(orphaned.flush()).resolves.toBeUndefined();
});
