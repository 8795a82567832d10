// The head of a part of a form, and the parameters of a header value (`form-data;
// name="key"`). Everything here takes time in proportion to the text: form-body.ts
// reads it for strangers, before any signature.

/**
 * A header's value before its parameters, and the parameters by lower-case name.
 */
export type Parameterized = {
  /** In lower case, without blanks around it. */
  readonly value: string;
  /**
   * The first parameter of a name counts. Browsers write a quote inside quotes as
   * `%22`.
   */
  readonly parameters: ReadonlyMap<string, string>;
};

/**
 * Value of the first header of that lower-case name, without blanks around it; null
 * without one.
 */
export function headerOf(head: string, name: string): string | null {
  for (const line of head.split('\r\n')) {
    const colonAt = line.indexOf(':');
    if (colonAt !== -1 && line.slice(0, colonAt).toLowerCase() === name)
      return line.slice(colonAt + 1).trim();
  }
  return null;
}

/**
 * Takes `value; name=text; name="text"` apart. Source: RFC 2045 section 5.1, RFC
 * 7578 section 4.2.
 */
export function readParameters(text: string): Parameterized {
  const valueEnd = endOf(text, 0, false);
  const parameters = new Map<string, string>();
  for (let at = valueEnd + 1; at < text.length; ) {
    const nameEnd = endOf(text, at, true);
    const name = text.slice(at, nameEnd).trim().toLowerCase();
    at = nameEnd + 1;
    if (text[nameEnd] !== '=') continue;
    const { value, end } = readValue(text, at);
    if (!parameters.has(name)) parameters.set(name, value);
    at = end + 1;
  }
  return { value: text.slice(0, valueEnd).trim().toLowerCase(), parameters };
}

/**
 * The value that stands behind `start`, and where the semicolon behind it stands.
 */
function readValue(text: string, start: number): { readonly value: string; readonly end: number } {
  let from = start;
  while (text[from] === ' ' || text[from] === '\t') from++;
  const quoteAt = text[from] === '"' ? text.indexOf('"', from + 1) : -1;
  const end = endOf(text, Math.max(from, quoteAt), false);
  return {
    value: quoteAt === -1 ? text.slice(from, end).trim() : text.slice(from + 1, quoteAt),
    end,
  };
}

/**
 * Where the next semicolon stands, or the next equals sign if that counts; the end
 * of the text without one.
 */
function endOf(text: string, start: number, isEqualsEnd: boolean): number {
  let at = start;
  while (at < text.length && text[at] !== ';' && !(isEqualsEnd && text[at] === '=')) at++;
  return at;
}
