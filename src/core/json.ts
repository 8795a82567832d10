/** What JSON calls an object. */
export type Json = { readonly [name: string]: unknown };

/** Neither null nor an array. */
export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
