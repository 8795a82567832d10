// The one alarm of a Durable Object, shared by several kinds of work: each has a slot
// with a time of its own, and the alarm stands for the earliest. Each time that it is
// set is billed as a row written, so it is set only when that changes. Times outlive
// the object only in the alarm itself: after it went off, each kind works its own out
// from its rows.

/** The alarm as the storage of an object has it. */
export type AlarmStorage = {
  setAlarm(atMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
};

/** The time of one kind of work. */
export type AlarmSlot = {
  /** Null: nothing is to be done. */
  set(atMs: number | null): void;
  /** The time that was set last in this life of the object, or since the alarm went off. */
  atMs(): number | null;
};

export type ObjectAlarm = {
  slot(): AlarmSlot;
  /**
   * When the alarm goes off, for whatever work, also if an earlier life of the object
   * has set it; null: never.
   */
  atMs(): number | null;
  /** The alarm went off. Call it first, then set every slot. */
  wentOff(): void;
};

/** `alarmAtMs`: as the storage has it when the object begins; null: none. */
export function createObjectAlarm(storage: AlarmStorage, alarmAtMs: number | null): ObjectAlarm {
  /** The alarm that an earlier life of the object set: nobody knows for which work. */
  let inheritedMs = alarmAtMs;
  let standingMs = alarmAtMs;
  const times: (number | null)[] = [];

  function update(): void {
    const all = [...times, inheritedMs].filter((atMs) => atMs !== null);
    const nextMs = all.length === 0 ? null : Math.min(...all);
    if (nextMs === standingMs) return;
    standingMs = nextMs;
    // Writes of one tick become durable together, the alarm with the rows it is for.
    if (nextMs === null) void storage.deleteAlarm();
    else void storage.setAlarm(nextMs);
  }

  return {
    slot() {
      const at = times.push(null) - 1;
      return {
        set(atMs) {
          times[at] = atMs;
          update();
        },
        atMs: () => times[at] ?? null,
      };
    },
    atMs: () => standingMs,
    wentOff() {
      inheritedMs = null;
      standingMs = null;
      times.fill(null);
    },
  };
}
