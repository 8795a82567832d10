// Indents JSON without reading its values: numbers keep every digit, texts every
// escape. Takes one document, or one a line (NDJSON), also where it is cut.

const INDENT = '  ';
/** Deeper values stand no further to the right. */
const INDENTED_DEPTH_MAX = 50;
/**
 * Characters that line breaks and indents may add: what follows stays as it is
 * written. A text of brackets alone would otherwise grow by its square.
 */
const ADDED_LENGTH_MAX = 8_000_000;

/** The text with one value a line; what is no JSON stays as it is. */
export function prettyJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  let at = 0;
  let addedLength = 0;
  const line = () => {
    const added = `\n${INDENT.repeat(Math.min(depth, INDENTED_DEPTH_MAX))}`;
    addedLength += added.length;
    parts.push(added);
  };
  while (at < text.length) {
    const letter = text[at] ?? '';
    if (addedLength > ADDED_LENGTH_MAX) {
      parts.push(text.slice(at));
      break;
    }
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
