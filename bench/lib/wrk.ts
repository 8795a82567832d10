import { cpuSecondsOf } from './process-cpu.ts';
import { runProgram } from './programs.ts';

export type Load = {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly headers?: readonly string[];
};
export type LoadResult = {
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly p99Ms: number;
  readonly megabytesPerSecond: number;
};

const UNIT_MS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };
const UNIT_BYTES: Record<string, number> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };

/** Loads a URL with wrk on CPU 1 and takes the CPU time of the serving processes meanwhile. Any answer but 2xx/3xx throws. */
export async function load(options: Load, pids: readonly number[]): Promise<LoadResult> {
  const cpuBefore = pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  const headers = (options.headers ?? []).flatMap((header) => ['-H', header]);
  const args = ['-t1', `-c${options.connections}`, `-d${options.seconds}s`, '--latency', ...headers, options.url];
  const out = await runProgram('taskset', ['-c', '1', 'wrk', ...args]);
  const cpu = pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) - cpuBefore;
  if (/Non-2xx|Socket errors/.test(out)) throw new Error(`wrk saw errors:\n${out}`);
  const number = (pattern: RegExp) => pattern.exec(out);
  const p99 = number(/99%\s+([\d.]+)(us|ms|s|m)/);
  const transfer = number(/Transfer\/sec:\s+([\d.]+)(B|KB|MB|GB)/);
  const requests = Number(number(/(\d+) requests in/)?.[1] ?? 0);
  return {
    requestsPerSecond: Number(number(/Requests\/sec:\s+([\d.]+)/)?.[1] ?? 0),
    cpuMicrosPerRequest: (cpu / requests) * 1e6,
    p99Ms: Number(p99?.[1] ?? 0) * (UNIT_MS[p99?.[2] ?? 'ms'] ?? 1),
    megabytesPerSecond: (Number(transfer?.[1] ?? 0) * (UNIT_BYTES[transfer?.[2] ?? 'B'] ?? 1)) / 1e6,
  };
}
