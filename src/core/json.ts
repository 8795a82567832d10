/** What JSON calls an object. */
export type Json = { readonly [name: string]: unknown };

export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
