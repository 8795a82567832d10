// What stands behind `npm start --`, and through the script of package.json, which must hand it on
// and stay one process.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { readCommandLine } from '../../../src/adapters/node/process/command-line.ts';
import { closeOnSignals } from '../../../src/adapters/node/process/process-end.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
const { version, scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));

it.each([
  [[], null],
  [['--help'], { exitCode: 0, text: expect.stringContaining('QUAYSIDE_DATA_DIR') }],
  [['-h'], { exitCode: 0, text: expect.stringContaining('Usage: npm start') }],
  [['--version'], { exitCode: 0, text: `${version}\n` }],
  [['-v'], { exitCode: 0, text: `${version}\n` }],
  [['--prot=9000'], { exitCode: 2, text: expect.stringContaining("Unknown option '--prot'") }],
  [['--help=yes'], { exitCode: 2, text: expect.stringContaining('--help') }],
  [['data'], { exitCode: 2, text: expect.stringContaining("'data'") }],
])('%j is answered', (args, answer) => {
  expect(readCommandLine(args)).toEqual(answer);
});

it.runIf(process.platform !== 'win32')(
  'a signal reaches the server through the script, which no shell outlives',
  async () => {
    const env = { ...process.env, PATH: `${ROOT}node_modules/.bin${delimiter}${process.env.PATH}` };
    // npm appends what stands behind `--`.
    const run = (args: string) =>
      promisify(execFile)('sh', ['-c', `${scripts.start} ${args}`], { cwd: ROOT, env });
    expect((await run("'--version'")).stdout).toBe(`${version}\n`);
    await expect(run("'--nonsense'")).rejects.toMatchObject({ code: 2, stdout: '' });
    const own = scripts.start.replace(/node src\/node\.ts$/, 'node -p process.pid');
    const { stdout } = await promisify(execFile)('sh', ['-c', `echo $$; ${own}`], {
      cwd: ROOT,
      env,
    });
    const [shell, node] = stdout.trim().split('\n');
    expect(node).toBe(shell);
  },
);

it.each([
  [true, 1],
  [false, 0],
])(
  'a terminal that is closed ends the server where no log file is set: %s',
  async (endsOnHangup, closed) => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    // The timer that ends a process which does not stop by itself would else outlive this test.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const before = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
    let closes = 0;
    const close = async () => {
      closes += 1;
    };
    closeOnSignals(close, {
      limitMs: 0,
      log: { info: () => undefined, error: () => undefined },
      endsOnHangup,
    });
    process.emit('SIGHUP', 'SIGHUP');
    await Promise.resolve();
    expect([closes, exit.mock.calls]).toEqual([closed, closed === 1 ? [[0]] : []]);
    for (const signal of SIGNALS) {
      for (const listener of process.listeners(signal))
        if (!before.has(listener)) process.off(signal, listener);
    }
    vi.useRealTimers();
    exit.mockRestore();
  },
);
