/** Prints rows as a Markdown table; the first row is the head. */
export function printTable(rows: readonly (readonly (string | number)[])[]): void {
  const [head, ...body] = rows;
  if (head === undefined) return;
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  process.stdout.write(
    `${[line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')}\n`,
  );
}

/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - (sorted.length % 2 === 0 ? 1 : 0)], sorted[middle]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}
