// The end of a program that npx started. npx has a shell between: on SIGTERM it ends the shell, and
// what the shell ran would serve on, unseen, and hold its data folder. quayside.ts calls it.

/** Milliseconds between two looks at the parent. */
const LOOK_MS = 500;

/** Ends this process in order, as SIGTERM does, when the shell of npx is gone. */
export function obeyNpx(): void {
  // npm sets it so for `npx` and `npm exec`. Source: npm 11, libnpmexec/lib/run-script.js
  if (process.env.npm_lifecycle_event !== 'npx') return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
