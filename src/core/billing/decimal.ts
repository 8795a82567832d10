// Prices and quantities without floating point: decimal texts become whole numbers of a fixed
// scale, amounts are exact fractions until the end, and are rounded once, to micro-units of the
// currency.

/** Digits behind the point that a price or quantity of a rate card may have. */
const SCALE_DIGITS = 12;
export const SCALE = 10n ** BigInt(SCALE_DIGITS);
/** Micro-units of a unit of currency. */
export const MICRO = 1_000_000n;

/**
 * `"0.015"` as a whole number of 10^-12; null for anything else than digits with at most 12 behind
 * a point.
 */
export function parseDecimal(text: unknown): bigint | null {
  const match = typeof text === 'string' ? /^(\d{1,30})(?:\.(\d{1,12}))?$/.exec(text) : null;
  if (match === null) return null;
  return BigInt(match[1] ?? '0') * SCALE + BigInt((match[2] ?? '').padEnd(SCALE_DIGITS, '0'));
}

/** A whole number of 10^-12 as decimals, without zeros behind: `0.015`. */
export function formatDecimal(scaled: bigint): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(SCALE_DIGITS + 1, '0');
  let end = digits.length;
  while (end > digits.length - SCALE_DIGITS && digits[end - 1] === '0') end--;
  const fraction = digits.slice(-SCALE_DIGITS, end);
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -SCALE_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The nearest whole number to `numerator / denominator`, halves away from zero. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n;
  const size = isNegative ? -numerator : numerator;
  const rounded = (2n * size + denominator) / (2n * denominator);
  return isNegative ? -rounded : rounded;
}

/** The smaller of two numbers. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The least whole number that is not less than the fraction; both parts are positive or zero. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/** Micro-units as people write them: `14.85`, with as many digits as `digits` says, rounded. */
export function formatMicro(amountMicro: bigint, digits = 2): string {
  const step = 10n ** BigInt(6 - digits);
  const rounded = divideRounded(amountMicro, step);
  const size = (rounded < 0n ? -rounded : rounded).toString().padStart(digits + 1, '0');
  const whole = size.slice(0, size.length - digits);
  return `${rounded < 0n ? '-' : ''}${whole}${digits === 0 ? '' : `.${size.slice(size.length - digits)}`}`;
}
