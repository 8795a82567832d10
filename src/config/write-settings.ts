// Settings of writes and of what follows them: inline bodies, uploads, the sweep,
// lifecycle rules, webhooks. settings.ts puts them together with the others.

import {
  BUCKET_LOCATIONS,
  type BucketLocation,
  parseBucketLocation,
} from '../domain/locations/bucket-locations.ts';
import { HOUR_MS } from '../domain/time.ts';
import { HOUR_SECONDS, INLINE_DEFAULT_BYTES, INLINE_MAX_BYTES, KiB, MiB } from './defaults.ts';
import { ConfigError } from './parse-texts.ts';
import { onOff, optional, whole } from './setting.ts';

function parseLocation(text: string | null): BucketLocation | 'near' {
  if (text === null) return 'near';
  const location = parseBucketLocation(text);
  if (location !== null) return location;
  const names = BUCKET_LOCATIONS.join(', ');
  throw new ConfigError(`QUAYSIDE_BUCKET_LOCATION must be one of ${names}.`);
}

const DAY_SECONDS = 24 * HOUR_SECONDS;
const YEAR_DAYS = 365;

/** Settings of writes and of work in the background. */
export const WRITE_SETTINGS = {
  inlineBodyMaxBytes: whole('QUAYSIDE_INLINE_MAX_BYTES', {
    meaning: 'Largest body that stands in the row of the index instead of a blob.',
    unit: 'bytes',
    fallback: INLINE_DEFAULT_BYTES,
    min: 0,
    max: INLINE_MAX_BYTES,
  }),
  staleUploadHours: whole('QUAYSIDE_STALE_UPLOAD_HOURS', {
    meaning:
      'Time without a new part after which an unfinished multipart upload is aborted, ' +
      'where the bucket has no rule of its own. 0: never, as in S3.',
    unit: 'hours',
    fallback: 24,
    min: 0,
    max: YEAR_DAYS * 24,
  }),
  graceSeconds: whole('QUAYSIDE_GRACE_SECONDS', {
    meaning:
      'Time for which a blob stays after its last reference has gone: ' +
      'longer than the oldest pointer and the longest download.',
    unit: 'seconds',
    fallback: DAY_SECONDS,
    min: 60,
    max: YEAR_DAYS * DAY_SECONDS,
  }),
  bucketLocation: optional('QUAYSIDE_BUCKET_LOCATION', {
    meaning:
      'Where the index of a new bucket lives, if its CreateBucket names no location: one of ' +
      `${BUCKET_LOCATIONS.map((location) => `\`${location}\``).join(', ')} ` +
      '([locations](cloudflare.md#locations)).',
    only: 'cloudflare',
    shown: 'near who makes the bucket',
    parse: (text, platform) => (platform === 'node' ? null : parseLocation(text)),
  }),
  sweepIntervalSeconds: whole('QUAYSIDE_SWEEP_INTERVAL_SECONDS', {
    meaning:
      'Time between two sweeps, which also carry lifecycle rules out. ' +
      'On Cloudflare the crons of wrangler.toml say it.',
    unit: 'seconds',
    fallback: HOUR_SECONDS,
    min: 1,
    max: 7 * DAY_SECONDS,
    only: 'node',
  }),
  transitionMinBytes: whole('QUAYSIDE_LIFECYCLE_TRANSITION_MIN_BYTES', {
    meaning:
      'Smallest object that lifecycle rules move to another class, unless their filter names ' +
      'sizes. ' +
      "S3's is 128 KiB, because its colder classes bill no less.",
    unit: 'bytes',
    fallback: 128 * KiB,
    min: 0,
    max: 1024 * 1024 * MiB,
  }),
  lifecycleDaySeconds: whole('QUAYSIDE_LIFECYCLE_DAY_SECONDS', {
    meaning: 'Length of a day of lifecycle rules; shorter for tests.',
    unit: 'seconds',
    fallback: DAY_SECONDS,
    min: 1,
    max: DAY_SECONDS,
  }),
} as const;

/** Settings of webhooks: the members of `webhooks` in Config. */
export const WEBHOOK_SETTINGS = {
  mayBePrivate: onOff('QUAYSIDE_WEBHOOK_PRIVATE_TARGETS', {
    meaning:
      'Whether webhooks may go to addresses that are not public, and over plain http. ' +
      'Whoever may make webhooks can then make the server call whatever it reaches ' +
      '([notifications](notifications.md)).',
    fallback: 'off',
  }),
  attemptsMax: whole('QUAYSIDE_WEBHOOK_ATTEMPTS', {
    meaning: 'Attempts of one message before it becomes a dead letter; 14 take a day and a half.',
    unit: 'attempts',
    fallback: 14,
    min: 1,
    max: 100,
  }),
  retryBaseMs: whole('QUAYSIDE_WEBHOOK_RETRY_MS', {
    meaning: 'Wait before the second attempt; each further one is three times as long, up to 6 h.',
    unit: 'milliseconds',
    fallback: 5000,
    min: 1,
    max: HOUR_MS,
  }),
  timeoutMs: whole('QUAYSIDE_WEBHOOK_TIMEOUT_MS', {
    meaning: 'Longest time of one attempt.',
    unit: 'milliseconds',
    fallback: 10_000,
    min: 10,
    max: 60_000,
  }),
} as const;
