// What the wire suite knows of the server it examines: an address, a key pair and a few promises of
// the platform. The global set-up of each project provides it, suite.ts hands it to the tests.
// Nothing in test/wire imports from src.

/**
 * How much to run: `smoke` takes seconds, `core` is what `npm test` runs, `full` adds large data
 * and many objects.
 */
export type Profile = 'smoke' | 'core' | 'full';

export type WireTarget = {
  /** `other` is a server that the suite did not start. */
  readonly platform: 'node' | 'workers' | 'other';
  /** Scheme, host and port, without a slash at the end. */
  readonly url: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** A second account with a key of its own; null where there is none. */
  readonly other: {
    readonly accountId: string;
    readonly accessKey: string;
    readonly secretKey: string;
  } | null;
  /** Region that the clients sign for. */
  readonly region: string;
  /** Buckets are reachable as `{bucket}.{baseDomain}`; null: don't try. */
  readonly baseDomain: string | null;
  /** Websites of buckets are at `{bucket}.{websiteDomain}`; null: don't try. */
  readonly websiteDomain: string | null;
  /** How long a public read may show the past after a write was answered, in seconds. */
  readonly stalenessSeconds: number;
  readonly profile: Profile;
  /** What opens `/-/metrics`; null: don't try. */
  readonly metricsToken: string | null;
  /** The server and its data go when the run ends, so nothing has to be cleaned up. */
  readonly isTemporary: boolean;
};

/**
 * The profile asked for in QUAYSIDE_WIRE_PROFILE; `core` when nobody asked. Throws on any other
 * word.
 */
export function profileFromEnv(env: NodeJS.ProcessEnv): Profile {
  const word = env.QUAYSIDE_WIRE_PROFILE ?? 'core';
  if (word === 'smoke' || word === 'core' || word === 'full') return word;
  throw new Error(`QUAYSIDE_WIRE_PROFILE is "${word}"; it can be smoke, core or full`);
}

function otherFromEnv(env: NodeJS.ProcessEnv): WireTarget['other'] {
  const { QUAYSIDE_WIRE_OTHER_ID: accountId } = env;
  const { QUAYSIDE_WIRE_OTHER_ACCESS_KEY: accessKey, QUAYSIDE_WIRE_OTHER_SECRET_KEY: secretKey } =
    env;
  return accountId && accessKey && secretKey ? { accountId, accessKey, secretKey } : null;
}

/** Reads a target that somebody else runs from QUAYSIDE_WIRE_*; null without QUAYSIDE_WIRE_URL. */
export function targetFromEnv(env: NodeJS.ProcessEnv): WireTarget | null {
  const url = env.QUAYSIDE_WIRE_URL;
  if (url === undefined || url === '') return null;
  const { QUAYSIDE_WIRE_ACCESS_KEY: accessKey, QUAYSIDE_WIRE_SECRET_KEY: secretKey } = env;
  if (!accessKey || !secretKey) {
    throw new Error(
      'QUAYSIDE_WIRE_URL needs QUAYSIDE_WIRE_ACCESS_KEY and QUAYSIDE_WIRE_SECRET_KEY',
    );
  }
  const platform = env.QUAYSIDE_WIRE_PLATFORM;
  return {
    platform: platform === 'node' || platform === 'workers' ? platform : 'other',
    url: url.replace(/\/+$/, ''),
    accessKey,
    secretKey,
    other: otherFromEnv(env),
    region: env.QUAYSIDE_WIRE_REGION ?? 'us-east-1',
    baseDomain: env.QUAYSIDE_WIRE_BASE_DOMAIN ?? null,
    websiteDomain: env.QUAYSIDE_WIRE_WEBSITE_DOMAIN ?? null,
    stalenessSeconds: Number(env.QUAYSIDE_WIRE_STALENESS_SECONDS ?? (platform === 'node' ? 0 : 60)),
    profile: profileFromEnv(env),
    metricsToken: env.QUAYSIDE_WIRE_METRICS_TOKEN ?? null,
    isTemporary: false,
  };
}
