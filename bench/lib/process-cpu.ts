import { readFileSync } from 'node:fs';

/** Clock ticks a second of /proc times; 100 on every Linux that Node runs on. Source: proc(5). */
const TICKS_PER_SECOND = 100;

/** CPU seconds that a process and its threads have used so far (user and system). Linux only. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process, bytes. Linux only. */
export function residentBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
