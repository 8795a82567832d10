// How the process ends: orderly on a signal, at once on a failure that leaves its
// state in doubt, and not at all for an unhandled rejection. node.ts calls all of
// it.
import type { Log } from '../../../ports/system.ts';

/**
 * Milliseconds that the orderly end may take beyond its own limit before it is cut
 * short.
 */
const HANGING_MS = 10_000;
/**
 * How long a further signal counts as the first one, milliseconds: on Ctrl-C the
 * terminal sends SIGINT to the whole group, and npm once more to its child.
 */
const SAME_SIGNAL_MS = 500;

/**
 * Ends the process after `close` on SIGTERM or SIGINT. The exit code is 0 when that
 * was orderly, 1 when it failed or took longer than `limitMs` and some seconds. A
 * second signal ends it at once, but for one that comes with the first.
 * `endsOnHangup`: SIGHUP does so too, which a closed terminal sends.
 */
export function closeOnSignals(
  close: () => Promise<void>,
  options: { readonly limitMs: number; readonly log: Log; readonly endsOnHangup: boolean },
): void {
  let closingSinceMs: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    if (closingSinceMs !== null) {
      if (performance.now() - closingSinceMs > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    closingSinceMs = performance.now();
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

/**
 * Ends the process when the index writer has died: no commit can be made any more.
 */
export function endOnCrash(log: Log): (cause: unknown) => void {
  return (cause) => {
    log.error('index-writer-died', { cause });
    process.exit(1);
  };
}

/**
 * Whether SIGHUP means that the terminal was closed: where it has neither a log file
 * to open anew nor a certificate to read anew.
 */
export function endsWithTerminal({
  accessLogFile,
  tlsCertFile,
}: {
  readonly accessLogFile: string | null;
  readonly tlsCertFile: string | null;
}): boolean {
  return process.stdin.isTTY === true && accessLogFile === null && tlsCertFile === null;
}

/**
 * Sets what happens on failures that no code caught. A thrown error leaves event
 * handlers half done, so the process ends and a supervisor starts it again;
 * acknowledged writes are safe. A rejected promise belongs to one request, whose
 * only lasting traces are commits and blobs. Both are whole or absent, so the
 * rejection is logged and the other requests go on.
 */
export function guardProcess(log: Log): void {
  process.on('uncaughtException', (cause) => {
    log.error('uncaught-exception', { cause });
    process.exit(1);
  });
  process.on('unhandledRejection', (cause) => log.error('unhandled-rejection', { cause }));
  // The reader of this output may go away; that is no reason to stop serving.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}
