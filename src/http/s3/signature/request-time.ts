// Times in signed requests: reading them and judging them against the server's
// clock. authorization-header.ts and presigned-query.ts call it.
import { StorageError } from '../../../domain/errors.ts';

/**
 * Furthest that a request's time may be from ours. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
export const MAX_SKEW_MS = 15 * 60 * 1000;
/**
 * Longest life of a presigned URL. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export const MAX_EXPIRES_SECONDS = 7 * 24 * 3600;

/** A request's time: `amzDate` is `yyyymmddThhmmssZ`, the form that is signed. */
export type RequestTime = { readonly amzDate: string; readonly timeMs: number };

const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, )?(\d\d?) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|UTC|[+-]0000)$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `yyyymmddThhmmssZ` of a time. */
export function formatAmzDate(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** Server time as S3's error elements show it. */
export function formatServerTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+/, '');
}

/**
 * The number that `count` decimal digits at `start` name; NaN when one is no digit.
 */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN;
  }
  return value;
}

/**
 * Reads `yyyymmddThhmmssZ`; null when it is anything else, or no day of the
 * calendar. By hand: every request has one.
 */
export function parseAmzDate(text: string): RequestTime | null {
  if (text.length !== 16 || text[8] !== 'T' || text[15] !== 'Z') return null;
  const timeMs = toTimeMs(
    digits(text, 0, 4),
    digits(text, 4, 2),
    digits(text, 6, 2),
    digits(text, 9, 2),
    digits(text, 11, 2),
    digits(text, 13, 2),
  );
  return Number.isNaN(timeMs) ? null : { amzDate: text, timeMs };
}

/**
 * Reads a `Date` header: the HTTP form (RFC 9110 section 5.6.7, also with a zero
 * offset) or `yyyymmddThhmmssZ`.
 */
export function parseRequestDate(text: string): RequestTime | null {
  const amzDate = parseAmzDate(text);
  if (amzDate !== null) return amzDate;
  const match = HTTP_DATE.exec(text);
  if (match === null) return null;
  const [, day, monthName, year, hour, minute, second] = match;
  const month = MONTHS.indexOf(monthName ?? '') + 1;
  const timeMs = toTimeMs(
    Number(year),
    month,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return Number.isNaN(timeMs) ? null : { amzDate: formatAmzDate(timeMs), timeMs };
}

/** Days of each month in a leap year. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Milliseconds since 1970, or NaN when a number is out of its range. Date.UTC would
 * carry 31 February over to March.
 */
function toTimeMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lastDay = month === 2 && !isLeapYear ? 28 : (MONTH_DAYS[month - 1] ?? 0);
  const isInRange =
    year >= 1970 && day >= 1 && day <= lastDay && hour < 24 && minute < 60 && second < 60;
  return isInRange ? Date.UTC(year, month - 1, day, hour, minute, second) : Number.NaN;
}

/**
 * RequestTimeTooSkewed when a request signed in its header is more than 15 minutes
 * off. `sent` is its date as it came.
 */
export function checkSkew(time: RequestTime, sent: string, nowMs: number): void {
  if (Math.abs(nowMs - time.timeMs) <= MAX_SKEW_MS) return;
  throw new StorageError('RequestTimeTooSkewed', {
    fields: {
      RequestTime: sent,
      ServerTime: formatServerTime(nowMs),
      MaxAllowedSkewMilliseconds: `${MAX_SKEW_MS}`,
    },
  });
}

/**
 * AccessDenied when a presigned URL is over, or is dated more than 15 minutes
 * ahead.
 */
export function checkExpiry(time: RequestTime, expiresSeconds: number, nowMs: number): void {
  const expiresAtMs = time.timeMs + expiresSeconds * 1000;
  const fields = () => ({
    Expires: formatServerTime(expiresAtMs),
    ServerTime: formatServerTime(nowMs),
  });
  if (time.timeMs - nowMs > MAX_SKEW_MS) {
    throw new StorageError('AccessDenied', {
      detail: 'Request is not yet valid',
      fields: { 'X-Amz-Date': `${time.timeMs}`, ...fields() },
    });
  }
  if (expiresSeconds === 0 || nowMs > expiresAtMs) {
    throw new StorageError('AccessDenied', {
      detail: 'Request has expired',
      fields: { 'X-Amz-Expires': `${expiresSeconds}`, ...fields() },
    });
  }
}

/** AccessDenied when a URL that names its end is over. */
export function requireBefore(expiresAtMs: number, nowMs: number): void {
  if (nowMs <= expiresAtMs) return;
  throw new StorageError('AccessDenied', {
    detail: 'Request has expired',
    fields: { Expires: formatServerTime(expiresAtMs), ServerTime: formatServerTime(nowMs) },
  });
}
