// JSON values of unknown content. Called by whoever parses documents of clients.

/** An object of JSON. */
export type Json = { readonly [name: string]: unknown };

/** Whether a value is an object of JSON: neither null nor an array. */
export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
