// Numbers, sizes and times of the link pages in the language of their reader: the
// rules of docs/design.md, "Numbers and units". Times are UTC, since no server knows
// its reader's zone; the script of the page puts them into it.
import { PAGE_LANGUAGES, type PageLanguage } from '../../semantics/accept-html.ts';
import { type Element, h } from './element.ts';

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;
/** Bytes are decimal, as on the bill. */
const BYTES_STEP = 1000;

const UNIT_SECONDS = { day: 86_400, hour: 3600, minute: 60, second: 1 } as const;
const TIME_UNITS = ['day', 'hour', 'minute'] as const;

export type Format = {
  /** `37,748` */
  count(value: number): string;
  /** `8.41 MB`; whole below 10,000 bytes. */
  bytes(value: number): string;
  /** `18 Nov 2026`, `2026年11月18日`: the day in UTC. */
  day(ms: number): Element;
  /** An end, with its weekday: `Sun 29 Nov 2026, 14:00 UTC`. */
  moment(ms: number): Element;
  /** `4 min`, `6 days`: the largest whole unit. */
  duration(seconds: number): string;
};

/** Makes the formats of one page. */
export function createFormat(language: PageLanguage): Format {
  const tag = PAGE_LANGUAGES[language].formatTag;
  const whole = new Intl.NumberFormat(tag);
  const threeDigits = { minimumSignificantDigits: 3, maximumSignificantDigits: 3 };
  const digits = new Intl.NumberFormat(tag, threeDigits);
  const days = new Intl.DateTimeFormat(tag, { ...dayStyle(language), timeZone: 'UTC' });
  const clock = { weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false } as const;
  const moments = new Intl.DateTimeFormat(tag, {
    ...dayStyle(language),
    ...clock,
    timeZone: 'UTC',
  });

  return {
    count: (value) => whole.format(value),
    bytes(value) {
      if (value < 10 * BYTES_STEP) return `${whole.format(value)} B`;
      let step = 0;
      let rest = value;
      // 999,950 would be rounded to 1,000 kB.
      while (rest >= BYTES_STEP * 0.9995 && step < BYTE_UNITS.length - 1) {
        rest /= BYTES_STEP;
        step++;
      }
      return `${digits.format(rest)} ${BYTE_UNITS[step] ?? 'B'}`;
    },
    day: (ms) => timeElement(ms, 'day', days.format(ms)),
    moment: (ms) => timeElement(ms, 'moment', `${moments.format(ms)} UTC`),
    duration(seconds) {
      const unit = TIME_UNITS.find((name) => seconds >= UNIT_SECONDS[name]) ?? 'second';
      const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
      const whole = Math.max(1, Math.floor(seconds / UNIT_SECONDS[unit]));
      return new Intl.NumberFormat(tag, style).format(whole);
    },
  };
}

const dayStyle = (language: PageLanguage) =>
  ({ day: 'numeric', month: PAGE_LANGUAGES[language].month, year: 'numeric' }) as const;

/** `data-time` says to the script how much of the time is shown. */
const timeElement = (ms: number, shown: 'day' | 'moment', text: string): Element =>
  h('time', { datetime: new Date(ms).toISOString(), 'data-time': shown }, text);
