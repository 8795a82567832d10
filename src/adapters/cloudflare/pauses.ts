// Times of the isolate during which something is not asked again: a tier that has just failed, a key that somebody is
// refreshing. Plain values, so that requests may share them. They end by themselves: a request may die before it says so.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../ports/system.ts';

/** Names at once; the oldest pause is dropped, which costs a call more. */
const NAMES_MAX = 1000;

export type Pauses = {
  isOn(name: string): boolean;
  begin(name: string): void;
  /** Begins one anew where one has run out without an end. */
  renew(name: string): void;
  end(name: string): void;
};

export function createPauses(clock: Clock, lengthMs: number): Pauses {
  const untilMs = new LRUCache<string, number>({ max: NAMES_MAX });
  const begin = (name: string) => void untilMs.set(name, clock.nowMs() + lengthMs);
  return {
    isOn: (name) => (untilMs.get(name) ?? 0) > clock.nowMs(),
    begin,
    renew: (name) => untilMs.has(name) && begin(name),
    end: (name) => void untilMs.delete(name),
  };
}
