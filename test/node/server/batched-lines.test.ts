import { describe, expect, it } from 'vitest';
import {
  type LineTarget,
  openBatchedLines,
} from '../../../src/adapters/node/server/batched-lines.ts';
import { renderMetrics } from '../../../src/http/system/metrics-text.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';

const errors: unknown[] = [];
const log = {
  info: () => undefined,
  error: (_event: string, fields?: object) => void errors.push(fields),
};

/** A target whose writes end when the test says so. */
function createGate() {
  const written: string[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  let opened = 0;
  let closed = 0;
  const open = async (): Promise<LineTarget> => {
    opened += 1;
    const name = opened;
    return {
      write(bytes) {
        written.push(`${name}:${new TextDecoder().decode(bytes)}`);
        const readPolicy = Promise.withResolvers<void>();
        waiting.push(readPolicy);
        return readPolicy.promise;
      },
      close: async () => {
        closed += 1;
      },
    };
  };
  return { open, written, next: () => waiting.shift(), counts: () => ({ opened, closed }) };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
const numbers = (lines: Awaited<ReturnType<typeof openBatchedLines>>) => {
  const page = parseMetricsPage(renderMetrics(lines.families()));
  return [
    page.value('quayside_access_log_lines_total'),
    page.value('quayside_access_log_dropped_total'),
  ];
};

describe('batched lines', () => {
  it('go out together, in order, one batch at a time', async () => {
    const { open, written, next } = createGate();
    const lines = await openBatchedLines(open, log);
    const long = 'x'.repeat(40_000);
    lines.write('a');
    lines.write(long);
    expect(written).toEqual([]);
    lines.write(long);
    for (const line of ['b', 'c']) lines.write(line);
    expect(written).toEqual([`1:a\n${long}\n${long}\n`]);
    next()?.resolve();
    const closing = lines.close(1000);
    await tick();
    expect(written.slice(1)).toEqual(['1:b\nc\n']);
    next()?.resolve();
    await closing;
    expect(numbers(lines)).toEqual([5, 0]);
  });

  it('go out soon, also when they are few', async () => {
    const { open, written, next } = createGate();
    const lines = await openBatchedLines(open, log);
    lines.write('a');
    await expect.poll(() => written).toEqual(['1:a\n']);
    next()?.resolve();
    await lines.close(1000);
  });

  it('are dropped and counted where the target does not take them', async () => {
    const { open, written, next } = createGate();
    const lines = await openBatchedLines(open, log);
    const line = 'x'.repeat(99_999);
    for (let i = 0; i < 100; i++) lines.write(line);
    // The first is under way, 41 more wait within 4 MiB.
    expect(numbers(lines)).toEqual([0, 58]);
    next()?.resolve();
    await tick();
    expect(written[1]?.length).toBe(2 + 41 * 100_000);
    next()?.resolve();
    await lines.close(1000);
    expect(numbers(lines)).toEqual([42, 58]);
  });

  it('survive a target that fails, which begins a new line after it', async () => {
    const { open, written, next } = createGate();
    errors.length = 0;
    const lines = await openBatchedLines(open, log);
    lines.write('lost');
    lines.reopen();
    next()?.reject(new Error('disk full'));
    await tick();
    for (const text of ['lost too', 'kept']) {
      lines.write(text);
      lines.reopen();
      const readPolicy = next();
      if (text === 'kept') readPolicy?.resolve();
      else readPolicy?.reject(new Error('disk full'));
      await tick();
    }
    expect(written).toEqual(['1:lost\n', '2:lost too\n', '3:kept\n']);
    expect(numbers(lines)).toEqual([1, 2]);
    expect(errors).toHaveLength(1);
    await lines.close(1000);

    const same = createGate();
    const broken = await openBatchedLines(same.open, log);
    const long = 'x'.repeat(70_000);
    broken.write(long);
    same.next()?.reject(new Error('disk full'));
    await tick();
    broken.write(long);
    expect(same.written[1]?.startsWith('1:\nx')).toBe(true);
    same.next()?.resolve();
    await tick();
    // What is whole again has no empty lines.
    broken.write(long);
    expect(same.written[2]?.startsWith('1:x')).toBe(true);
    same.next()?.resolve();
    await broken.close(1000);
  });

  it('go to the new target after a reopening; the old one closes behind its batch', async () => {
    const { open, written, next, counts } = createGate();
    const lines = await openBatchedLines(open, log);
    lines.write('old');
    lines.reopen();
    lines.write('new');
    expect([written, counts()]).toEqual([['1:old\n'], { opened: 1, closed: 0 }]);
    next()?.resolve();
    await tick();
    expect(counts()).toEqual({ opened: 2, closed: 1 });
    const closing = lines.close(1000);
    await tick();
    next()?.resolve();
    await closing;
    expect(written).toEqual(['1:old\n', '2:new\n']);
    expect(counts().closed).toBe(2);
  });

  it('keep the old target when the new one cannot be opened', async () => {
    const { open, written, next } = createGate();
    let isRefused = false;
    const lines = await openBatchedLines(async () => {
      if (isRefused) throw new Error('no such folder');
      return open();
    }, log);
    isRefused = true;
    lines.reopen();
    await tick();
    lines.write('a');
    const closing = lines.close(1000);
    await tick();
    next()?.resolve();
    await closing;
    expect(written).toEqual(['1:a\n']);
  });

  it('do not hold up the end of the program for longer than the limit', async () => {
    const { open } = createGate();
    const lines = await openBatchedLines(open, log);
    lines.write('a');
    const startedMs = performance.now();
    await lines.close(20);
    expect(performance.now() - startedMs).toBeLessThan(5000);
  });

  it('cannot be made without a target', async () => {
    await expect(openBatchedLines(() => Promise.reject(new Error('no')), log)).rejects.toThrow(
      'no',
    );
  });
});
