// Sizes as the server writes them on the same page: docs/design.md, "Numbers and units".

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;
const STEP = 1000;

/** `8.41 MB`; whole below 10,000 bytes. */
export function formatBytes(bytes: number): string {
  const tag = document.documentElement.lang.startsWith('zh') ? 'zh-CN' : 'en-GB';
  if (bytes < 10 * STEP) return `${new Intl.NumberFormat(tag).format(bytes)} B`;
  let step = 0;
  let rest = bytes;
  // 999,950 would be rounded to 1,000 kB.
  for (; rest >= STEP * 0.9995 && step < UNITS.length - 1; step++) rest /= STEP;
  const digits = { minimumSignificantDigits: 3, maximumSignificantDigits: 3 };
  return `${new Intl.NumberFormat(tag, digits).format(rest)} ${UNITS[step]}`;
}
