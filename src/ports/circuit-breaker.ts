// Times of a process during which something is not asked again: a tier that has just failed, a key
// that somebody is refreshing, a ledger. Plain values, so that requests of an isolate may share
// them. They end by themselves: a request may die before it says so.
import type { Clock } from './system.ts';

/** Names at once; the oldest pause is dropped, which costs a call more. */
const NAMES_MAX = 1000;

export type CircuitBreaker = {
  isOn(name: string): boolean;
  /** Since it was begun last, milliseconds; 0 where none is known. */
  lastedMs(name: string): number;
  begin(name: string): void;
  /** Begins one anew where one has run out without an end. */
  renew(name: string): void;
  end(name: string): void;
};

export function createCircuitBreaker(clock: Clock, lengthMs: number): CircuitBreaker {
  const untilMs = new Map<string, number>();
  const begin = (name: string) => {
    untilMs.delete(name);
    untilMs.set(name, clock.nowMs() + lengthMs);
    const [oldest] = untilMs.keys();
    if (untilMs.size > NAMES_MAX && oldest !== undefined) untilMs.delete(oldest);
  };
  return {
    isOn: (name) => (untilMs.get(name) ?? 0) > clock.nowMs(),
    lastedMs(name) {
      const endMs = untilMs.get(name);
      return endMs === undefined ? 0 : clock.nowMs() - (endMs - lengthMs);
    },
    begin,
    renew: (name) => untilMs.has(name) && begin(name),
    end: (name) => void untilMs.delete(name),
  };
}
