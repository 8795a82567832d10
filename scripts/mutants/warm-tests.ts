// Runs tests of one project in a vitest that stays loaded (warm-vitest.ts): to start one takes
// longer than most tests. A run that takes too long is killed with all that it started, and the
// next one starts anew. checks.ts calls it.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export type WarmTests = {
  /**
   * Runs test files up to the first that fails, and gives it. `time`: the limit was
   * reached; `unknown`: nothing says which file it was.
   */
  run(files: readonly string[], limitSeconds: number): Promise<readonly string[]>;
};

/** `copy`: folder of the sources and of their tests. */
export function openWarmTests(copy: string, project: string): WarmTests {
  let child: ChildProcess | null = null;

  /** Workers of vitest in an endless loop would outlive it. */
  function kill(): void {
    const pid = child?.pid;
    child = null;
    try {
      if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  process.on('exit', kill);

  function start(): ChildProcess {
    const started = fork(join('scripts', 'mutants', 'warm-vitest.ts'), [project], {
      cwd: copy,
      env: { ...process.env, CI: process.env.CI ?? 'true' },
      stdio: 'ignore',
      detached: process.platform !== 'win32',
    });
    // Between two runs it must not keep this process alive.
    started.unref();
    started.channel?.unref();
    return started;
  }

  return {
    async run(files, limitSeconds) {
      child ??= start();
      const running = child;
      const outcome = Promise.withResolvers<readonly string[]>();
      const end = () => outcome.resolve(['unknown']);
      const take = (failed: unknown) => outcome.resolve(failed as readonly string[]);
      const limit = setTimeout(() => outcome.resolve(['time']), limitSeconds * 1000);
      running.once('message', take);
      running.once('exit', end);
      running.send(files);
      const failed = await outcome.promise;

      clearTimeout(limit);
      running.off('message', take);
      running.off('exit', end);
      if (failed[0] === 'time' || running.exitCode !== null) kill();
      return failed;
    },
  };
}
