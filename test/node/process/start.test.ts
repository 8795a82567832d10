// The pieces of the start and of the time afterwards: data folder, root key, repetition.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDataFolder } from '../../../src/adapters/node/disk/data-folder.ts';
import { repeat } from '../../../src/adapters/node/process/repeat.ts';
import { loadRootKey } from '../../../src/adapters/node/process/root-key.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const noKeys = { rootAccessKey: null, rootSecretKey: null };

describe('data folder', () => {
  it('is made with its parents, for its owner only, and given to one at a time', () => {
    const path = join(temporaryFolder(), 'a', 'b');
    const folder = openDataFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(() => openDataFolder(path)).toThrow(/another Quayside process/);
    folder.unlock();
    openDataFolder(path).unlock();
  });

  it('names the path that it cannot use', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => openDataFolder(file)).toThrow(file);
  });
});

describe('root key', () => {
  it('is the one of the settings, and then leaves no file', () => {
    const dataDir = temporaryFolder();
    const key = loadRootKey({ rootAccessKey: 'id', rootSecretKey: 'secret' }, dataDir);
    expect(key).toEqual({ accessKey: 'id', secretKey: 'secret', origin: 'settings', path: null });
    expect(existsSync(join(dataDir, 'root-key.json'))).toBe(false);
  });

  it('is made once and found again', () => {
    const dataDir = temporaryFolder();
    const made = loadRootKey(noKeys, dataDir);
    expect(made.origin).toBe('new');
    expect(made.accessKey).toMatch(/^QSROOT[A-Z2-7]{14}$/);
    expect(made.secretKey).toMatch(/^[\w-]{40}$/);
    expect(loadRootKey(noKeys, dataDir)).toEqual({ ...made, origin: 'file' });
    expect(loadRootKey(noKeys, temporaryFolder()).secretKey).not.toBe(made.secretKey);
    expect(existsSync(join(dataDir, 'root-key.json.new'))).toBe(false);
  });

  it('is never half from the settings', () => {
    expect(() =>
      loadRootKey({ rootAccessKey: 'id', rootSecretKey: null }, temporaryFolder()),
    ).toThrow(/QUAYSIDE_ROOT_SECRET_KEY/);
    expect(() =>
      loadRootKey({ rootAccessKey: null, rootSecretKey: 's' }, temporaryFolder()),
    ).toThrow(/QUAYSIDE_ROOT_ACCESS_KEY/);
  });

  it.each(['', '{', '{}', 'null', '{"accessKey":"a"}', '{"accessKey":"a","secretKey":""}'])(
    'is not made anew over a kept file that holds %j',
    (text) => {
      const dataDir = temporaryFolder();
      const path = join(dataDir, 'root-key.json');
      writeFileSync(path, text);
      chmodSync(path, 0o600);
      expect(() => loadRootKey(noKeys, dataDir)).toThrow(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );
});

describe('repeat', () => {
  afterEach(() => void vi.useRealTimers());

  const start = (task: () => Promise<unknown>) => {
    vi.useFakeTimers();
    const lines: string[] = [];
    const log = createConsoleLog(systemClock, 'info', (line) => lines.push(line));
    return { lines, repetition: repeat('sweep', task, { firstMs: 10, everyMs: 100, log }) };
  };

  it('runs soon, then at its interval, also after a failure', async () => {
    let runs = 0;
    const { lines, repetition } = start(async () => {
      runs += 1;
      if (runs === 1) throw new Error('first');
    });
    await vi.advanceTimersByTimeAsync(9);
    expect(runs).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toBe(1);
    expect(lines[0]).toContain('"label":"sweep"');
    await vi.advanceTimersByTimeAsync(200);
    expect(runs).toBe(3);
    await repetition.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toBe(3);
  });

  it('never runs twice at once, and stop waits for the run under way', async () => {
    const readPolicy = Promise.withResolvers<void>();
    let running = 0;
    const { repetition } = start(async () => {
      running += 1;
      await readPolicy.promise;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(running).toBe(1);
    let isStopped = false;
    const stopped = repetition.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(1000);
    expect(isStopped).toBe(false);
    readPolicy.resolve();
    await stopped;
    await vi.advanceTimersByTimeAsync(1000);
    expect(running).toBe(1);
  });
});
