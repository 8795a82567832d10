// The alarms of many simulated Durable Objects in virtual time: a heap by the time at which each
// goes off.

import type { AlarmStorage } from '../../src/adapters/cloudflare/durable-objects/object-alarm.ts';

type Alarm = { atMs: number; readonly run: () => Promise<void> };
type Entry = { readonly atMs: number; readonly alarm: Alarm };

const NEVER = Number.POSITIVE_INFINITY;

export function createAlarmQueue() {
  const heap: Entry[] = [];
  let alarmsSet = 0;

  function push(entry: Entry): void {
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((heap[above] as Entry).atMs <= entry.atMs) break;
      heap[at] = heap[above] as Entry;
      at = above;
    }
    heap[at] = entry;
  }

  function pop(): Entry | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const [left, right] = [heap[below] as Entry, heap[below + 1]];
      if (right !== undefined && right.atMs < left.atMs) below += 1;
      if (last.atMs <= (heap[below] as Entry).atMs) break;
      heap[at] = heap[below] as Entry;
      at = below;
    }
    heap[at] = last;
    return first;
  }

  return {
    /** Adds an object that does `run` when its alarm goes off. */
    add(run: () => Promise<void>): AlarmStorage {
      const alarm: Alarm = { atMs: NEVER, run };
      return {
        async setAlarm(atMs) {
          alarmsSet += 1;
          alarm.atMs = atMs;
          push({ atMs, alarm });
        },
        async deleteAlarm() {
          alarm.atMs = NEVER;
        },
      };
    },
    /** Lets all alarms up to a time go off, in order. */
    async runUntil(untilMs: number, setTime: (atMs: number) => void): Promise<void> {
      while ((heap[0]?.atMs ?? NEVER) <= untilMs) {
        const entry = pop();
        // One that was set anew meanwhile has another entry.
        if (entry === undefined || entry.alarm.atMs !== entry.atMs) continue;
        entry.alarm.atMs = NEVER;
        setTime(entry.atMs);
        await entry.alarm.run();
      }
    },
    alarmsSet: () => alarmsSet,
  };
}
