// Numbers, sizes, money and times as people read them, in the language that is
// shown: docs/design.md, "Numbers and units".
import { language } from '../app/preferences.ts';

const locale = () => (language.value === 'zh' ? 'zh-CN' : 'en');

const cache = new Map<string, unknown>();
/** Formatters are dear to make: each is made once a language. */
function once<Formatter>(name: string, make: (locale: string) => Formatter): Formatter {
  const key = `${locale()} ${name}`;
  const known = cache.get(key) as Formatter | undefined;
  if (known !== undefined) return known;
  const made = make(locale());
  cache.set(key, made);
  return made;
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;
/** Bytes are decimal, as on the bill. */
const BYTES_STEP = 1000;
/** Counts above this are shortened: 12.4 M. */
const COUNT_WHOLE_MAX = 9_999_999;
const SIGNIFICANT_DIGITS = 3;

export type Measure = { readonly value: string; readonly unit: string };

/** `8_410_000` as `8.41` and `MB`; three digits, whole below 10,000 bytes. */
export function bytesParts(bytes: number | string): Measure {
  let value = Number(bytes);
  if (Math.abs(value) < 10 * BYTES_STEP) return { value: count(value), unit: 'B' };
  let step = 0;
  // 999,950 would be rounded to 1,000 kB.
  while (Math.abs(value) >= BYTES_STEP * 0.9995 && step < BYTE_UNITS.length - 1) {
    value /= BYTES_STEP;
    step++;
  }
  const format = once('bytes', (tag) => {
    return new Intl.NumberFormat(tag, {
      minimumSignificantDigits: SIGNIFICANT_DIGITS,
      maximumSignificantDigits: SIGNIFICANT_DIGITS,
    });
  });
  return { value: format.format(value), unit: BYTE_UNITS[step] ?? 'B' };
}

/** `8.41 MB` */
export function bytes(value: number | string): string {
  const parts = bytesParts(value);
  return `${parts.value} ${parts.unit}`;
}

/** `37,748`; above ten million `12.4 M`. */
export function count(value: number | string): string {
  const number = Number(value);
  if (Math.abs(number) <= COUNT_WHOLE_MAX) return exactCount(number);
  const format = once('short', (tag) => {
    return new Intl.NumberFormat(tag, {
      notation: 'compact',
      maximumSignificantDigits: SIGNIFICANT_DIGITS,
    });
  });
  return format.format(number);
}

/** `12,400,031`, however long. */
export const exactCount = (value: number | string): string =>
  once('count', (tag) => new Intl.NumberFormat(tag)).format(Number(value));

/** Micro-units of a cent, in whose like nothing that costs is rounded to nothing. */
const CENT_MICRO = 10_000;

/** Amounts with two digits after the point, or as many as are asked for. */
const moneyFormat = (currency: string, least?: number, most = least) =>
  once(`money ${currency} ${least} ${most}`, (tag) => {
    return new Intl.NumberFormat(tag, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: least,
      maximumFractionDigits: most,
      signDisplay: 'negative',
    });
  });

/**
 * A sum of money: `$12.86`, and `<$0.01` for what costs less than a cent. Micro:
 * millionths of a unit of the currency.
 */
export function money(micro: number | string, currency: string): string {
  const value = Number(micro);
  const format = moneyFormat(currency);
  if (value > 0 && value < CENT_MICRO) return `<${format.format(CENT_MICRO / 1e6)}`;
  return format.format(value / 1e6);
}

/** What one thing costs a month: `$0.0004`, `<$0.0001`; never `$0.00` for what costs. */
export function smallMoney(micro: number | string, currency: string): string {
  const value = Number(micro);
  if (value === 0 || value >= CENT_MICRO) return money(value, currency);
  const format = moneyFormat(currency, 4);
  return value < 100 ? `<${format.format(0.0001)}` : format.format(value / 1e6);
}

/** The sum to its last digit, for tooltips: `$0.000113`. */
export const exactMoney = (micro: number | string, currency: string): string =>
  moneyFormat(currency, 2, 6).format(Number(micro) / 1e6);

/** `62 %`, in Chinese `62%`. */
export const percent = (part: number): string => {
  const whole = Math.round(part * 100);
  return language.value === 'zh' ? `${whole}%` : `${whole} %`;
};

const DAY_MS = 86_400_000;

/** `Today 11:42`, `Yesterday 16:04`, before them `18 Nov 2026`, after them an end. */
export function time(iso: string | number | Date, words: { today: string; yesterday: string }) {
  const at = new Date(iso);
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const clock = clockText(at);
  if (at.getTime() >= midnight.getTime() + DAY_MS) return endTime(at);
  if (at.getTime() >= midnight.getTime()) return `${words.today} ${clock}`;
  if (at.getTime() >= midnight.getTime() - DAY_MS) return `${words.yesterday} ${clock}`;
  return date(at);
}

/** `18 Nov 2026`, `2026年11月18日`. */
export const date = (iso: string | number | Date): string => {
  const style = { day: 'numeric', month: language.value === 'zh' ? 'long' : 'short' } as const;
  const tag = language.value === 'zh' ? 'zh-CN' : 'en-GB';
  const make = () => new Intl.DateTimeFormat(tag, { ...style, year: 'numeric' });
  return once('date', make).format(new Date(iso));
};

/** An end, which always has its weekday: `Sun 29 Nov 2026, 14:00`. */
export const endTime = (iso: string | number | Date): string => {
  const tag = language.value === 'zh' ? 'zh-CN' : 'en-GB';
  const make = () => {
    return new Intl.DateTimeFormat(tag, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
    });
  };
  return once('end', make).format(new Date(iso));
};

/** With seconds and zone, for tooltips. */
export const exactTime = (iso: string | number | Date): string => {
  const at = new Date(iso);
  const make = (tag: string) =>
    new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long' });
  return `${once('exact', make).format(at)} · ${at.toISOString()}`;
};

export const clockText = (at: number | Date) => {
  const style = { hour: '2-digit', minute: '2-digit', hour12: false } as const;
  return once('clock', (tag) => new Intl.DateTimeFormat(tag, style)).format(at);
};

/** `4 min`, `6 days`: the largest whole unit. */
export function duration(seconds: number): string {
  const steps = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const;
  const [size, unit] = steps.find(([limit]) => seconds >= limit) ?? [1, 'second'];
  const format = once(`duration ${unit}`, (tag) => {
    return new Intl.NumberFormat(tag, {
      style: 'unit',
      unit,
      unitDisplay: unit === 'day' ? 'long' : 'short',
      maximumFractionDigits: 0,
    });
  });
  return format.format(Math.max(0, seconds / size));
}

/** Sorts as people do: 2 before 10, Chinese by pinyin. */
export const compareNames = (a: string, b: string): number =>
  once('names', (tag) => new Intl.Collator(tag, { numeric: true })).compare(a, b);

/** `November`, of `2026-11`. */
export const monthName = (period: string): string =>
  once('month', (tag) => new Intl.DateTimeFormat(tag, { month: 'long', timeZone: 'UTC' })).format(
    new Date(`${period}-15T00:00:00Z`),
  );
