// One line of the access log, in a format that log readers know. Pure. Everything
// in it may come from a stranger: nothing can begin another line or field, no text
// is longer than its bound, and what would let its reader in is left out.
import { redactTarget, redactUrl } from './redact.ts';

/**
 * One answered request. Texts of headers are one character a byte, as they came.
 */
export type AccessEntry = {
  readonly timeMs: number;
  readonly requestId: string;
  readonly remoteAddress: string | null;
  /** Whose signature was right; null without one. */
  readonly accessKeyId: string | null;
  readonly method: string;
  readonly host: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  /** `HTTP/1.1` */
  readonly protocol: string;
  readonly status: number;
  /** Bytes of the body that were given to the connection. */
  readonly bodyBytes: number;
  /** Whether all of it was; null where nobody can know. */
  readonly isWhole: boolean | null;
  readonly durationMs: number;
  readonly surface: string;
  readonly operation: string;
  readonly bucket: string | null;
  readonly metadataTier: string | null;
  readonly bodyTier: string | null;
  readonly referer: string | null;
  readonly userAgent: string | null;
};

export type FormatAccess = (entry: AccessEntry) => string;

/**
 * Longest texts, characters. A path is at most a key of 1,024 bytes in
 * percent-encoding and a bucket.
 */
const TARGET_MAX_LENGTH = 4096;
const TEXT_MAX_LENGTH = 1024;

/**
 * What can't stand in a field of the combined format: controls, quotes, the
 * backslash, and what is no ASCII.
 */
const HARMLESS = /^[ !#-[\]-~]*$/;
const UNSAFE = /["\\]|[^\x20-\x7e]/g;
/**
 * What JSON leaves as it is and a terminal or an older parser takes for something:
 * DEL, C1 controls, line separators.
 */
const JSON_HARMLESS = /^[ -~]*$/;
const JSON_UNSAFE = /[\x7f-\x9f\u2028\u2029]/g;
const HIGH_BYTES = /[\x80-\xff]/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Apache's and nginx's `combined`, with the access key as the user, and behind it:
 * request id, seconds, tiers of pointer and body, bucket, host. Source:
 * https://httpd.apache.org/docs/2.4/logs.html#combined
 */
export function createCombinedFormat(): FormatAccess {
  const clock = memoOf((second) => clockText(second * 1000));
  return (entry) => {
    const { remoteAddress, accessKeyId, method, protocol, status, bodyBytes, referer, userAgent } =
      entry;
    const request = escaped(`${method} ${targetOf(entry)} ${protocol}`);
    const tiers = `${entry.metadataTier ?? '-'}/${entry.bodyTier ?? '-'}`;
    const time = clock(Math.floor(entry.timeMs / 1000));
    const from = quoted(referer === null ? null : redactUrl(referer));
    return (
      `${plain(remoteAddress)} - ${plain(accessKeyId)} [${time}] "${request}" ` +
      `${status} ${bodyBytes} ${from} ${quoted(userAgent)} ` +
      `${plain(entry.requestId)} ${secondsText(entry.durationMs)} ${tiers} ` +
      `${plain(entry.bucket)} ${plain(entry.host)}`
    );
  };
}

/**
 * One JSON object, with the marks of the program's other log lines. Absent is null.
 */
export function createJsonFormat(): FormatAccess {
  const isoTime = memoOf((timeMs) => new Date(timeMs).toISOString());
  return (entry) => {
    const { referer, userAgent } = entry;
    const line = JSON.stringify({
      time: isoTime(entry.timeMs),
      level: 'info',
      event: 'access',
      requestId: entry.requestId,
      remoteAddress: entry.remoteAddress,
      accessKeyId: entry.accessKeyId,
      method: entry.method,
      host: cut(entry.host, TEXT_MAX_LENGTH),
      target: targetOf(entry),
      protocol: entry.protocol,
      status: entry.status,
      bodyBytes: entry.bodyBytes,
      isWhole: entry.isWhole,
      durationMs: Math.round(entry.durationMs * 1000) / 1000,
      surface: entry.surface,
      operation: entry.operation,
      bucket: entry.bucket,
      metadataTier: entry.metadataTier,
      bodyTier: entry.bodyTier,
      referer: referer === null ? null : readable(redactUrl(referer)),
      userAgent: userAgent === null ? null : readable(userAgent),
    });
    if (JSON_HARMLESS.test(line)) return line;
    return line.replace(
      JSON_UNSAFE,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  };
}

/**
 * Lines of one second or millisecond share the text of their time, which costs as
 * much as all the rest.
 */
function memoOf(toText: (value: number) => string): (value: number) => string {
  let known = Number.NaN;
  let text = '';
  return (value) => {
    if (value !== known) {
      known = value;
      text = toText(value);
    }
    return text;
  };
}

/** With six places. toFixed costs ten times as much. */
function secondsText(durationMs: number): string {
  const micros = Math.max(0, Math.round(durationMs * 1000));
  const seconds = Math.floor(micros / 1_000_000);
  return `${seconds}.${`${1_000_000 + (micros - seconds * 1_000_000)}`.slice(1)}`;
}

function targetOf({ rawPath, rawQuery }: AccessEntry): string {
  return cut(redactTarget(rawPath, rawQuery), TARGET_MAX_LENGTH);
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}...`;
}

function escaped(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text.replace(UNSAFE, (sign) => {
    const code = sign.charCodeAt(0);
    return code <= 0xff
      ? `\\x${code.toString(16).padStart(2, '0').toUpperCase()}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

function quoted(text: string | null): string {
  return text === null ? '"-"' : `"${escaped(cut(text, TEXT_MAX_LENGTH))}"`;
}

/** A field without quotes, so without spaces. */
function plain(text: string | null): string {
  if (text === null || text === '') return '-';
  const field = escaped(cut(text, TEXT_MAX_LENGTH));
  return field.includes(' ') ? field.replaceAll(' ', '\\x20') : field;
}

/**
 * Bytes as the UTF-8 that they mostly are; else one character each, as they came.
 */
function readable(text: string): string {
  const short = cut(text, TEXT_MAX_LENGTH);
  if (!HIGH_BYTES.test(short)) return short;
  const bytes = Uint8Array.from(short, (sign) => sign.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/** `21/Nov/2026:12:00:00 +0000` */
function clockText(timeMs: number): string {
  const [date = '', time = ''] = new Date(timeMs).toISOString().split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}
