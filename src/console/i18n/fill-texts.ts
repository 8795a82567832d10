// Puts the texts of a language under their keys, which the build keeps once for all languages
// (scripts/console/text-keys.ts). Nothing else calls it: sources have keys and texts together.

/** Texts by key, and groups of them. */
export type Filled = { [key: string]: unknown };

/**
 * Fills in values in the order of their keys: `a|b{|c|}` is `{ a, b: { c } }`. Throws where there
 * are more or fewer values than keys.
 */
export function fillTexts(keys: string, values: readonly unknown[]): Filled {
  const whole: Filled = {};
  const open = [whole];
  let used = 0;
  for (const key of keys.split('|')) {
    const group = open.at(-1) ?? whole;
    if (key === '}') open.pop();
    else if (key.endsWith('{')) {
      const inner: Filled = {};
      group[key.slice(0, -1)] = inner;
      open.push(inner);
    } else group[key] = values[used++];
  }
  if (used !== values.length) throw new Error(`${values.length} texts for ${used} keys`);
  return whole;
}
