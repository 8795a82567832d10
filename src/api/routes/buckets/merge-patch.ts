// JSON merge patches: a nested setting of a PATCH is laid over the current one.
// merge-bucket-change.ts calls it with the setting as it is shown, and validates
// what comes out as if it had been sent whole.
import { isJsonObject, type Json } from '../../../core/json.ts';

/**
 * Levels of objects within objects that are merged; the deepest setting has three.
 * Deeper ones are replaced, and then refused by the schema.
 */
const MERGED_DEPTH_MAX = 8;

/**
 * The target with the patch laid over it: null takes a field away, objects are
 * merged, all else is replaced, lists too. Neither is changed. Source: RFC 7396
 * section 2.
 */
export function mergePatch(target: unknown, patch: Json, depth = 0): Json {
  const merged = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (isJsonObject(value) && depth < MERGED_DEPTH_MAX) {
      merged.set(name, mergePatch(merged.get(name), value, depth + 1));
    } else merged.set(name, value);
  }
  // fromEntries makes own properties of all names, `__proto__` too.
  return Object.fromEntries(merged);
}
