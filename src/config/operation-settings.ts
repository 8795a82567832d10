// Settings of logs, metrics, the JSON API and bills. settings.ts puts them together
// with the others.
import { METER_FLUSH_DEFAULT_SECONDS } from './defaults.ts';
import { parseIssuer, parseRateCardId, parseStripeUrl, parseToken } from './parse-texts.ts';
import { oneOf, onOff, optional, text, whole } from './setting.ts';

/** Settings of logs and metrics. */
export const LOG_SETTINGS = {
  logLevel: oneOf('QUAYSIDE_LOG_LEVEL', {
    meaning: 'What is logged: everything, errors or nothing.',
    choices: ['info', 'error', 'off'],
    fallback: 'info',
  }),
  accessLog: oneOf('QUAYSIDE_ACCESS_LOG', {
    meaning: "The access log, a line per request: Apache's combined format, or JSON.",
    choices: ['off', 'combined', 'json'],
    fallback: 'off',
  }),
  accessLogFile: optional('QUAYSIDE_ACCESS_LOG_FILE', {
    meaning: 'Its file, opened anew on SIGHUP and SIGUSR1.',
    only: 'node',
    shown: 'stdout',
    parse: (value) => value,
  }),
  bucketLogSeconds: whole('QUAYSIDE_BUCKET_LOG_SECONDS', {
    meaning:
      "Time that lines of a bucket's own access log (PutBucketLogging) wait for others " +
      'before they become an object.',
    unit: 'seconds',
    fallback: 300,
    min: 1,
    max: 3600,
  }),
  metricsToken: optional('QUAYSIDE_METRICS_TOKEN', {
    meaning:
      'Bearer token that readers of `/-/metrics` must show: 16 to 256 letters, digits or ' +
      '`-._~+/=`. ' +
      'The machine itself needs it too, because everybody behind a reverse proxy comes from there.',
    shown: 'none: there is no such page',
    parse: (value) => parseToken('QUAYSIDE_METRICS_TOKEN', value),
  }),
  metricsBucketsMax: whole('QUAYSIDE_METRICS_BUCKETS', {
    meaning: 'Buckets that get metrics under their own name; further ones share one label.',
    unit: 'buckets',
    fallback: 0,
    min: 0,
    max: 10_000,
  }),
  isServerTimingOn: onOff('QUAYSIDE_SERVER_TIMING', {
    meaning: 'Whether responses have Server-Timing: the tiers they came from, with times.',
    fallback: 'on',
  }),
  isDevServer: onOff('QUAYSIDE_DEV_SERVER', {
    meaning:
      "Whether wrangler's dev server stands in front, which decodes what is stored in a " +
      'content coding. ' +
      '`npm run dev` sets it.',
    fallback: 'off',
    only: 'cloudflare',
  }),
} as const;

/** Settings of the JSON API and of bills. */
export const BILLING_SETTINGS = {
  requestsPerMinute: whole('QUAYSIDE_API_REQUESTS_PER_MINUTE', {
    meaning:
      'Requests of one account to the JSON API, or of one source without a credential ' +
      '([JSON API](json-api.md)). 0: any number.',
    unit: 'requests a minute',
    fallback: 1200,
    min: 0,
    max: 1_000_000_000,
  }),
  meterFlushSeconds: whole('QUAYSIDE_METER_FLUSH_SECONDS', {
    meaning:
      'Time that usage is counted in memory; a killed process loses so much of it. An isolate ' +
      'of Cloudflare that nobody asks any more brings it to the ledger within 21 s.',
    unit: 'seconds',
    fallback: METER_FLUSH_DEFAULT_SECONDS,
    min: 1,
    max: 300,
  }),
  rateCardId: text('QUAYSIDE_RATE_CARD', {
    meaning: 'Rate card of accounts that have no other ([bills](billing.md)).',
    fallback: 'cloudflare-r2',
    parse: parseRateCardId,
  }),
  invoiceIssuer: text('QUAYSIDE_INVOICE_ISSUER', {
    meaning: 'Who bills, as it stands on invoices: one line of at most 200 characters.',
    fallback: 'Quayside',
    parse: parseIssuer,
  }),
  billingCloseHours: whole('QUAYSIDE_BILLING_CLOSE_HOURS', {
    meaning: 'Time after its end when a month is closed, once the ledger has heard of everything.',
    unit: 'hours',
    fallback: 24,
    min: 1,
    max: 240,
  }),
  stripeSecretKey: optional('QUAYSIDE_STRIPE_SECRET_KEY', {
    meaning: 'A key of Stripe that may write meter events. Without it, nothing is reported.',
    parse: (value) => parseToken('QUAYSIDE_STRIPE_SECRET_KEY', value),
  }),
  stripeUrl: text('QUAYSIDE_STRIPE_URL', {
    meaning: "Stripe's API: https and a host, without a path; http for this machine alone.",
    fallback: 'https://api.stripe.com',
    parse: parseStripeUrl,
  }),
} as const;
