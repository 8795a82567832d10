import { arch, cpus, release, totalmem, type } from 'node:os';

/** One line that says what the numbers were measured on. */
export function describeMachine(): string {
  const cores = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return (
    `${cores.length} × ${cores[0]?.model ?? 'unknown CPU'}, ${memoryGiB} GiB, ${type()} ` +
    `${release()} ${arch()}, Node ${process.version}, ${date}`
  );
}
