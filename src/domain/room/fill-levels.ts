// Levels of something that fills up, in percent: each is reported once when it is
// passed, and again only after the use had fallen well below it. Pure. Called by the
// disk alarm of Node and by the room alarm of a Durable Object.

/** A level counts as left this many percent below it. */
const HYSTERESIS_PERCENT = 2;

/** The level that was passed last, 0 for none. `levels` ascend; `before`: the one until now. */
export function levelAfter(levels: readonly number[], before: number, usedPercent: number): number {
  const passed = highestLevel(levels, usedPercent);
  if (passed > before) return passed;
  return Math.min(before, highestLevel(levels, usedPercent + HYSTERESIS_PERCENT));
}

function highestLevel(levels: readonly number[], usedPercent: number): number {
  return levels.findLast((level) => usedPercent >= level) ?? 0;
}
