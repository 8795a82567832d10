// Half a character, which JSON can write as an escape and UTF-8 can't hold. Whoever takes JSON from
// a client asks here, before such a text gets into a name, a header or a row and comes back as
// something else, or breaks whatever encodes it.

/** `\ud800` to `\udfff` anywhere: only then is a closer look needed. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Whether every text and every name of a JSON document is made of whole characters. True for what
 * is no JSON: that is its reader's to refuse. Cost: one scan; where an escape of a surrogate
 * stands, another parse. Source: RFC 7493 section 2.1.
 */
export function hasWholeTexts(json: string): boolean {
  if (!SURROGATE_ESCAPE.test(json)) return true;
  let isWhole = true;
  try {
    JSON.parse(json, (name, value: unknown) => {
      if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
        isWhole = false;
      return value;
    });
  } catch {
    return true;
  }
  return isWhole;
}
