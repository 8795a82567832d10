// Prices and quantities without floating point: decimal texts become whole numbers
// of a fixed scale, amounts are exact fractions until the end, and are rounded
// once, to micro-units of the currency.

/** Digits behind the point that a price or quantity of a rate card may have. */
const SCALE_DIGITS = 12;
/** Parts of a whole number: fixed-point decimals count in 10^-12. */
export const SCALE = 10n ** BigInt(SCALE_DIGITS);
/** Digits behind the point of a micro-unit. */
const MICRO_DIGITS = 6;
/** Micro-units of a unit of currency. */
export const MICRO = 10n ** BigInt(MICRO_DIGITS);

/**
 * Reads `"0.015"` as a fixed-point number of 10^-12; null for anything but digits
 * with at most 12 behind a point.
 */
export function parseDecimal(text: unknown): bigint | null {
  const match = typeof text === 'string' ? /^(\d{1,30})(?:\.(\d{1,12}))?$/.exec(text) : null;
  if (match === null) return null;
  return BigInt(match[1] ?? '0') * SCALE + BigInt((match[2] ?? '').padEnd(SCALE_DIGITS, '0'));
}

/**
 * Writes a fixed-point number of 10^-12 as a decimal, without zeros behind:
 * `0.015`.
 */
export function formatDecimal(scaled: bigint): string {
  const sign = scaled < 0n ? '-' : '';
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(SCALE_DIGITS + 1, '0');
  let end = digits.length;
  while (end > digits.length - SCALE_DIGITS && digits[end - 1] === '0') end--;

  const whole = digits.slice(0, -SCALE_DIGITS);
  const fraction = digits.slice(-SCALE_DIGITS, end);
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
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

/**
 * The least whole number that is not less than the fraction; both parts are
 * positive or zero.
 */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

/**
 * Micro-units as people write them: `14.85`, rounded to so many digits behind the
 * point.
 */
export function formatMicro(amountMicro: bigint, digits = 2): string {
  const step = 10n ** BigInt(MICRO_DIGITS - digits);
  const rounded = divideRounded(amountMicro, step);
  const sign = rounded < 0n ? '-' : '';
  const size = (rounded < 0n ? -rounded : rounded).toString().padStart(digits + 1, '0');

  const whole = size.slice(0, size.length - digits);
  const fraction = size.slice(size.length - digits);
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}
