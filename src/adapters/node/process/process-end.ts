// How the process ends: orderly on a signal, at once on what can't be trusted any more, and not at
// all for a rejection that nobody handled.
import type { Log } from '../../../ports/system.ts';

/** Milliseconds that the orderly end may take beyond its own limits before it is cut short. */
const HANGING_MS = 10_000;

/**
 * Ends the process after `close` on SIGTERM or SIGINT: 0 when it was orderly, 1 when it failed or
 * took longer than `limitMs` and some seconds. A second signal ends it at once. `endsOnHangup`:
 * SIGHUP does so too, which a terminal sends that is closed.
 */
export function closeOnSignals(
  close: () => Promise<void>,
  options: { readonly limitMs: number; readonly log: Log; readonly endsOnHangup: boolean },
): void {
  let isClosing = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isClosing) process.exit(1);
    isClosing = true;
    options.log.info('stopping', { signal });
    setTimeout(() => {
      options.log.error('stop-hangs');
      process.exit(1);
    }, options.limitMs + HANGING_MS).unref();
    close().then(
      () => {
        options.log.info('stopped');
        process.exit(0);
      },
      (cause) => {
        options.log.error('stop-failed', { cause });
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (options.endsOnHangup) process.on('SIGHUP', onSignal);
}

/** Whether SIGHUP means that the terminal was closed: where it has no log file to open anew. */
export function endsWithTerminal({
  accessLogFile,
}: {
  readonly accessLogFile: string | null;
}): boolean {
  return process.stdin.isTTY === true && accessLogFile === null;
}

/**
 * Sets what happens on failures that no code caught. A thrown one leaves event handlers half done,
 * so the process ends and a supervisor starts it again; whatever was acknowledged is safe. A
 * rejected promise belongs to one request, whose only lasting traces are commits and blobs, and
 * both are whole or absent: it is logged, and the others go on.
 */
export function guardProcess(log: Log): void {
  process.on('uncaughtException', (cause) => {
    log.error('uncaught-exception', { cause });
    process.exit(1);
  });
  process.on('unhandledRejection', (cause) => log.error('unhandled-rejection', { cause }));
  // Whoever read our output may go away; that is no reason to stop serving.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}
