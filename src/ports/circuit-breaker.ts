// A circuit breaker: cooldowns of a process during which something is not called
// again, like a tier that has just failed or a key that is being refreshed. Plain
// values, so that requests of an isolate may share them. Cooldowns end by
// themselves: a request may die before it ends one.
import type { Clock } from './system.ts';

/** Cooldowns at once; beyond it the oldest is dropped, which costs a call more. */
const NAMES_MAX = 1000;

export type CircuitBreaker = {
  isOn(name: string): boolean;
  /** Milliseconds since the cooldown was begun last; 0 where none is known. */
  lastedMs(name: string): number;
  begin(name: string): void;
  /** Begins a cooldown anew where one has run out without an end. */
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
