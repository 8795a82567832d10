import { fileURLToPath } from 'node:url';
import { cpuSecondsOf } from './process-cpu.ts';
import { runProgram } from './programs.ts';

export type Load = {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly headers?: readonly string[];
  /**
   * Bytes of an answer's body. Long answers are counted by their bytes, for many are under way when
   * the time is over.
   */
  readonly bodyBytes: number;
  /** Asks for ranges of `bodyBytes` anywhere in the first so many bytes. */
  readonly rangesWithinBytes?: number;
  /** Whether the answers are to be 4xx or 5xx; else one of them ends the bench. */
  readonly isRefused?: boolean;
  /** CPUs of wrk, as taskset names them; 1 by default. */
  readonly cpus?: string;
  /** Path of a file of requests, sent in turn: wrk.lua. */
  readonly requestsFile?: string;
};
export type LoadResult = {
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly p99Ms: number;
  readonly megabytesPerSecond: number;
};

const SCRIPT = fileURLToPath(new URL('./wrk.lua', import.meta.url));
/** From here on an answer is counted by its bytes. */
const LONG_BODY_BYTES = 2 ** 20;
/**
 * wrk counts a slower answer as an error: on a busy machine 16 answers of 64 MiB at once take a few
 * seconds.
 */
const TIMEOUT_SECONDS = 30;

type Totals = {
  requests: number;
  bytes: number;
  micros: number;
  p99Micros: number;
  failed: number;
  refused: number;
};

/**
 * Loads a URL with wrk and takes the CPU time of the serving processes meanwhile. Throws
 * when answers are refused that should not be, or the other way round.
 */
export async function load(options: Load, pids: readonly number[]): Promise<LoadResult> {
  const { bodyBytes, cpus = '1', rangesWithinBytes, requestsFile } = options;
  const headers = (options.headers ?? []).flatMap((header) => ['-H', header]);
  const ranges =
    rangesWithinBytes === undefined ? [] : ['--', `${rangesWithinBytes}`, `${bodyBytes}`];
  const varied = requestsFile === undefined ? ranges : ['--', requestsFile];
  const length = [`-d${options.seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`];
  const args = [
    '-t1',
    `-c${options.connections}`,
    ...length,
    '-s',
    SCRIPT,
    ...headers,
    options.url,
  ];
  const cpuBefore = sumOfCpu(pids);
  const out = await runProgram('taskset', ['-c', cpus, 'wrk', ...args, ...varied]);
  const cpuSeconds = sumOfCpu(pids) - cpuBefore;
  const totals = JSON.parse(out.slice(out.lastIndexOf('\n{'))) as Totals;
  const wantedRefusals = options.isRefused === true ? totals.requests : 0;
  if (totals.failed > 0 || totals.refused !== wantedRefusals)
    throw new Error(`wrk saw errors:\n${out}`);
  const requests = bodyBytes >= LONG_BODY_BYTES ? totals.bytes / bodyBytes : totals.requests;
  const seconds = totals.micros / 1e6;
  return {
    requestsPerSecond: requests / seconds,
    cpuMicrosPerRequest: (cpuSeconds / requests) * 1e6,
    p99Ms: totals.p99Micros / 1000,
    megabytesPerSecond: totals.bytes / seconds / 1e6,
  };
}

function sumOfCpu(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
}
