// Whole coins (minor units) of a currency, which is what is paid; the lines of a
// bill are exact to the micro-unit. Called by invoices and exports. No floating
// point.
import { formatMicro, MICRO } from './decimal.ts';

/** Digits behind the point of a currency's smallest coin. */
export function coinDigits(currency: string): number {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return Math.min(maximumFractionDigits ?? 2, 6);
}

/** Micro-units of a currency's smallest coin. */
export const coinOf = (currency: string): bigint => MICRO / 10n ** BigInt(coinDigits(currency));

/** An amount rounded down to a coin; it must not be negative. */
export function wholeCoins(amountMicro: bigint, currency: string): bigint {
  const coin = coinOf(currency);
  return (amountMicro / coin) * coin;
}

/**
 * Whole coins as people write them: `14.85`, `1485` of a currency without a smaller
 * coin.
 */
export const formatCoins = (amountMicro: bigint, currency: string): string =>
  formatMicro(amountMicro, coinDigits(currency));
