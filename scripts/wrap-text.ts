// Breaks prose of the pages that scripts write, at 100 columns.

/** Longest line, columns. */
const COLUMNS = 100;
/** Stands for a space within the text of a link, which stays on one line. */
const JOINT = '\u00a0';

/** Prose with line breaks between words; lines behind the first one begin with `indent`. */
export function wrapText(text: string, indent = ''): string {
  const joined = text.replace(/\[[^\]]*\]/g, (label) => label.replaceAll(' ', JOINT));
  const lines: string[] = [];
  let line = '';
  for (const word of joined.split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = `${indent}${word}`;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n').replaceAll(JOINT, ' ');
}
