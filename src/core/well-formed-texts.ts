// Lone surrogates in JSON: an escape can write half a character, which UTF-8 can't
// encode. Called by whoever reads JSON of a client, before such a text gets into a
// name, a header or a row.

/** An escape from `\ud800` to `\udfff`; without one all texts are well-formed. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Whether every string and every name of a JSON document is well-formed Unicode.
 * True for what is no JSON, which its parser refuses. Cost: one scan; with an
 * escape of a surrogate another parse. Source: RFC 7493 section 2.1.
 */
export function hasWellFormedTexts(json: string): boolean {
  if (!SURROGATE_ESCAPE.test(json)) return true;
  let isWellFormed = true;
  try {
    JSON.parse(json, (name, value: unknown) => {
      if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
        isWellFormed = false;
      return value;
    });
  } catch {
    return true;
  }
  return isWellFormed;
}
