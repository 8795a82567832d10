// Ends of lines: a field of the browser has plain ones alone, so what is stored gets
// back its own when it is saved.

export type LineEnd = '\n' | '\r\n';

/** What most lines end with. */
export function lineEndOf(text: string): LineEnd {
  const windows = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  return windows * 2 > all ? '\r\n' : '\n';
}

export const toPlainLines = (text: string): string => text.replaceAll('\r\n', '\n');

export const withLineEnds = (text: string, lineEnd: LineEnd): string =>
  lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd);
