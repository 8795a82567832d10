// Indents JSON without reading its values: numbers keep every digit, texts every
// escape. Takes one document, or one a line (NDJSON), also where it is cut.

const INDENT = '  ';

/** The text with one value a line; what is no JSON stays as it is. */
export function prettyJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let at = 0;
  const line = () => parts.push(`\n${INDENT.repeat(depth)}`);
  while (at < text.length) {
    const letter = text[at] ?? '';
    if (letter === '"') {
      const end = endOfText(text, at);
      parts.push(text.slice(at, end));
      at = end;
      continue;
    }
    if (letter === '{' || letter === '[') {
      const next = skipBlanks(text, at + 1);
      const closing = text[next];
      if (closing === '}' || closing === ']') {
        parts.push(letter + closing);
        at = next + 1;
        continue;
      }
      parts.push(letter);
      depth++;
      line();
    } else if (letter === '}' || letter === ']') {
      depth = Math.max(0, depth - 1);
      line();
      parts.push(letter);
    } else if (letter === ',') {
      parts.push(letter);
      line();
    } else if (letter === ':') {
      parts.push(': ');
    } else if (!isBlank(letter)) {
      parts.push(letter);
    } else if (depth === 0 && letter === '\n') {
      // Between the documents of NDJSON.
      parts.push(letter);
    }
    at++;
  }
  return parts.join('');
}

const isBlank = (letter: string): boolean =>
  letter === ' ' || letter === '\n' || letter === '\r' || letter === '\t';

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text[at] ?? '')) at++;
  return at;
}

/** Where a text in quotes ends, behind its quote. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(text.length, at + 1);
}
