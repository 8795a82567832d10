// The blanks that HTTP lets stand around a header's value (RFC 9110 section 5.6.3),
// and no others: trim() would also take the byte A0 away, which may be the last of
// a UTF-8 character.

const SPACE = 32;
const TAB = 9;

/**
 * The text from `start` to `end` without blanks at its ends. Each character is
 * looked at once, however many blanks there are.
 */
export function trimBlanks(text: string, start = 0, end = text.length): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}
