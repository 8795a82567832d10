// Log lines as JSON, one object per line, for both platforms: info to stdout,
// errors to stderr. It redacts what looks like a secret as a second net; the first
// is that nobody puts one into a field.
import type { Clock, Log } from '../../ports/system.ts';

/** `info` writes everything, `error` only errors, `off` nothing. */
export type LogLevel = 'info' | 'error' | 'off';

const SECRET_NAME = /secret|password|authorization|signature|credential|token|cookie/i;
/** Query parameters of a presigned URL that let their finder in. */
const SECRET_QUERY =
  /([?&](?:X-Amz-(?:Signature|Credential|Security-Token)|Signature|AWSAccessKeyId)=)[^&\s"]+/gi;
const REDACTED = '[redacted]';
/**
 * Longest text of one field, characters; keys and user agents come from strangers.
 */
const FIELD_MAX_LENGTH = 4096;
/** Nested causes shown. */
const CAUSES_MAX = 4;

/**
 * Makes a log. `write` gets whole lines without the newline; the default is the
 * console of the runtime.
 */
export function createConsoleLog(
  clock: Clock,
  level: LogLevel,
  write: (line: string, isError: boolean) => void = writeToConsole,
): Log {
  function line(
    kind: 'info' | 'error',
    event: string,
    fields: Readonly<Record<string, unknown>>,
  ): string {
    const record: Record<string, unknown> = {
      time: new Date(clock.nowMs()).toISOString(),
      level: kind,
      event,
    };
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'cause') record[name] = describe(value, CAUSES_MAX);
      else if (SECRET_NAME.test(name)) record[name] = REDACTED;
      else record[name] = typeof value === 'string' ? clean(value) : value;
    }
    return JSON.stringify(record);
  }
  return {
    info(event, fields = {}) {
      if (level === 'info') write(line('info', event, fields), false);
    },
    error(event, fields = {}) {
      if (level !== 'off') write(line('error', event, fields), true);
    },
  };
}

function clean(text: string): string {
  const short = text.length > FIELD_MAX_LENGTH ? `${text.slice(0, FIELD_MAX_LENGTH)}…` : text;
  return short.replace(SECRET_QUERY, `$1${REDACTED}`);
}

/**
 * An error with its code, stack and causes as plain data; anything else as text.
 */
function describe(value: unknown, causesLeft: number): unknown {
  if (!(value instanceof Error)) return clean(String(value));
  const code = 'code' in value && typeof value.code === 'string' ? { code: value.code } : {};
  const cause =
    value.cause === undefined || causesLeft === 0
      ? {}
      : { cause: describe(value.cause, causesLeft - 1) };
  return {
    name: value.name,
    message: clean(value.message),
    ...code,
    stack: clean(value.stack ?? ''),
    ...cause,
  };
}

/** One whole line, to stdout or stderr; on Cloudflare to the Worker's log. */
export function writeToConsole(text: string, isError: boolean): void {
  // biome-ignore-start lint/suspicious/noConsole: the one place that writes log lines
  if (isError) console.error(text);
  else console.log(text);
  // biome-ignore-end lint/suspicious/noConsole: the one place that writes log lines
}
