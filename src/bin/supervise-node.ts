// A command in a newer Node, as if it ran here: its output, its signals and its end are this
// process's own. The child is in a process group of its own, so that a signal reaches it once: a
// terminal sends Ctrl-C to the whole group, and npm passes it on besides, and a server takes the
// second one for "end at once". quayside.ts calls it.
import { spawn } from 'node:child_process';

/** The child's argv[0]: `ps` shows it, and the child knows by it whose child it is. */
const NAME = 'quayside';
/** Signals that mean something to the server, or end it. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** Signals that a terminal and npm both send for one key press. */
const DOUBLED: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM']);
/** Milliseconds in which a doubled signal counts once; a person is slower. */
const SAME_MS = 300;
/** Exit code of a command that could not be started. */
const FAILED = 1;
const IS_WINDOWS = process.platform === 'win32';

/** Runs `node` with the arguments, and ends this process as it ends. */
export function superviseNode(node: string, args: readonly string[]): void {
  const child = spawn(node, args, {
    argv0: NAME,
    // The channel carries nothing: that it closes is how the child learns of a parent's SIGKILL.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: !IS_WINDOWS,
  });

  const passedAtMs = new Map<NodeJS.Signals, number>();
  const passOn = (signal: NodeJS.Signals) => {
    const nowMs = performance.now();
    const isSame = nowMs - (passedAtMs.get(signal) ?? -SAME_MS) < SAME_MS;
    if (isSame && DOUBLED.has(signal)) return;
    passedAtMs.set(signal, nowMs);
    // A console of Windows sends Ctrl-C to the child as well, and has no other signals.
    if (!IS_WINDOWS) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);

  child.on('error', (error) => {
    process.stderr.write(`Quayside can't start: ${node} does not run here: ${error.message}\n`);
    process.exit(FAILED);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? FAILED);
    // Who waits for this process sees the signal that ended the command.
    for (const name of SIGNALS) process.off(name, passOn);
    process.kill(process.pid, signal);
  });
}

/** Whether this process is such a child. */
export const isSupervised = (): boolean => process.argv0 === NAME && process.connected === true;

/** Ends the command in order when the process that passes signals on is gone. */
export function obeySupervisor(): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // A command that is done ends by itself.
  process.channel?.unref();
}
