// Settings of the service itself: where it listens, its keys, its addresses and its
// connections. settings.ts puts them together with the others.

import { parseSeed, SeedError } from '../core/auth/seed.ts';
import { type MasterKeys, parseMasterKeys } from '../core/encryption/master-keys.ts';
import { DISK_RESERVE_DEFAULT_BYTES, MiB } from './defaults.ts';
import {
  ConfigError,
  parseAccessKey,
  parseAddressRanges,
  parseDnsResolver,
  parseDomain,
  parseHeaderName,
  parseMasterKeyIds,
  parseRegion,
  parseSecretKey,
  requireDomain,
} from './parse-texts.ts';
import { oneOf, onOff, optional, text, whole, wholeSecondsAsMs } from './setting.ts';

/** More disk than any machine has. */
const DISK_MAX_BYTES = 1024 * 1024 * MiB;

/** More rows than an index of one database should ever have. Our own limit. */
const SHARD_MAX_ROWS = 1_000_000_000;

/** Most threads that serve. Beyond that one writer has no commits left for them. */
const THREADS_MAX = 16;

/** Settings of the process: where it listens, and its folder. */
export const PLACE_SETTINGS = {
  port: whole('QUAYSIDE_PORT', {
    meaning: 'TCP port to listen on; 0 takes a free one.',
    unit: 'port',
    fallback: 9000,
    min: 0,
    max: 65_535,
    only: 'node',
  }),
  host: text('QUAYSIDE_HOST', {
    meaning: 'Address to listen on.',
    fallback: '127.0.0.1',
    only: 'node',
    parse: String,
  }),
  threads: whole('QUAYSIDE_THREADS', {
    meaning:
      'Threads that serve requests, each on a core of its own, at one port. ' +
      'The limits of memory and of connections are of all together ' +
      '([threads](running.md#threads)).',
    unit: 'threads',
    fallback: 1,
    min: 1,
    max: THREADS_MAX,
    only: 'node',
  }),
  tlsCertFile: optional('QUAYSIDE_TLS_CERT', {
    meaning:
      'PEM file with the certificate for TLS, and behind it those between it and the root. ' +
      'With it the server speaks HTTPS, and nothing else ([TLS](running.md#tls-and-proxies)). ' +
      'It is read again on SIGHUP, and within 10 s of a change; by further threads then alone.',
    only: 'node',
    shown: 'none: HTTP',
    parse: (value) => value,
  }),
  tlsKeyFile: optional('QUAYSIDE_TLS_KEY', {
    meaning: 'PEM file with the private key of that certificate, without a passphrase.',
    only: 'node',
    parse: (value) => value,
  }),
  isHttp2On: onOff('QUAYSIDE_HTTP2', {
    meaning: 'Whether TLS offers HTTP/2 beside HTTP/1.1; not with several threads.',
    fallback: 'on',
    only: 'node',
  }),
  dataDir: text('QUAYSIDE_DATA_DIR', {
    meaning: 'Folder of the index and the blobs.',
    fallback: './data',
    only: 'node',
    parse: String,
  }),
  diskReserveBytes: whole('QUAYSIDE_DISK_RESERVE_BYTES', {
    meaning:
      'Room on the disk that only deletes, aborts, lifecycle rules and the sweep may use. ' +
      'Half of it stands in the file `reserve` of the data folder. ' +
      'Writes are refused when no more is left ([the disk](running.md#disk)). 0: none.',
    unit: 'bytes',
    fallback: DISK_RESERVE_DEFAULT_BYTES,
    min: 0,
    max: DISK_MAX_BYTES,
    only: 'node',
  }),
  scrubBytesPerSecond: whole('QUAYSIDE_SCRUB_BYTES_PER_SECOND', {
    meaning:
      'Rate at which the scrub reads stored bytes and proves their digests in the background ' +
      '([lost bytes](running.md#lost-bytes)). 0: off.',
    unit: 'bytes a second',
    fallback: 0,
    min: 0,
    max: DISK_MAX_BYTES,
    only: 'node',
  }),
  region: text('QUAYSIDE_REGION', {
    meaning: 'Region that GetBucketLocation names; signatures may name any.',
    fallback: 'auto',
    parse: parseRegion,
  }),
  shardRows: whole('QUAYSIDE_SHARD_ROWS', {
    meaning:
      'Objects and older versions from which an index of a bucket is split in two ' +
      '([shards](internals/shards.md)); 0 splits none. Once a bucket was split, older ' +
      'releases refuse the database. On Cloudflare read first what a split bucket can not do.',
    unit: 'rows',
    fallback: 0,
    min: 0,
    max: SHARD_MAX_ROWS,
  }),
  drainSeconds: whole('QUAYSIDE_DRAIN_SECONDS', {
    meaning: 'Time that running requests get to finish after SIGTERM.',
    unit: 'seconds',
    fallback: 20,
    min: 0,
    max: 3600,
    only: 'node',
  }),
} as const;

/** The root key without one in the settings, as the page shows it. */
const ROOT_KEY_SHOWN = {
  node: 'made once, kept in the data folder',
  cloudflare: 'none: signed requests get 503',
} as const;

/** Settings of keys. */
export const KEY_SETTINGS = {
  rootAccessKey: optional('QUAYSIDE_ROOT_ACCESS_KEY', {
    meaning: 'Access key id of the root account: 3 to 128 letters, digits, hyphens or underscores.',
    parse: parseAccessKey,
    shown: ROOT_KEY_SHOWN,
  }),
  rootSecretKey: optional('QUAYSIDE_ROOT_SECRET_KEY', {
    meaning: 'Secret key of the root account: 8 to 256 visible ASCII characters.',
    parse: parseSecretKey,
    shown: ROOT_KEY_SHOWN,
  }),
  seed: optional('QUAYSIDE_SEED', {
    meaning:
      'Access keys of further accounts, and KMS keys to make ([its form](seed.md)). ' +
      'On Node the name of a JSON file, on Cloudflare the JSON itself, as a secret.',
    parse: (value) => parseSeedText(value, parseSeed),
  }),
  masterKeys: optional('QUAYSIDE_MASTER_KEY', {
    meaning:
      'Keys of 32 bytes in hex or base64, with commas between, the newest first. ' +
      'They wrap the data keys of encrypted objects and encrypt the secrets of access keys. ' +
      'Losing one loses what it protects ([encryption](encryption.md)).',
    parse: parseMasterKeyText,
    shown: {
      node: 'made once, kept in the data folder',
      cloudflare: 'none: SSE-S3 and SSE-KMS are refused',
    },
  }),
  withoutMasterKeys: optional('QUAYSIDE_WITHOUT_MASTER_KEYS', {
    meaning:
      'Ids of master keys that are lost for good, or that nothing needs any more, with commas ' +
      'between. ' +
      'The server does not start without a key that was once the first one, unless it is named ' +
      'here ' +
      '([lost keys](running.md#lost-or-changed-keys)).',
    only: 'node',
    parse: parseMasterKeyIds,
  }),
  isSignatureV2On: onOff('QUAYSIDE_SIGNATURE_V2', {
    meaning:
      'Whether URLs and forms of Signature Version 2 (HMAC-SHA-1) are taken. ' +
      'boto3 and the AWS CLI still presign so for the old regions; in headers it never is taken.',
    fallback: 'on',
  }),
  customerKeysOverHttp: oneOf('QUAYSIDE_SSE_C_OVER_HTTP', {
    meaning:
      'Whether keys of clients (SSE-C) are taken without TLS, where anybody on the way can ' +
      'read them. ' +
      '`loopback`: over connections within the machine that no proxy has passed on; Node only.',
    choices: ['loopback', 'always', 'never'],
    fallback: 'loopback',
  }),
} as const;

/** Settings of hosts. */
export const ADDRESS_SETTINGS = {
  baseDomain: optional('QUAYSIDE_BASE_DOMAIN', {
    meaning: 'Hosts `{bucket}.{base domain}` address a bucket. A domain without a port.',
    parse: (value) => parseDomain('QUAYSIDE_BASE_DOMAIN', value),
  }),
  websiteDomain: optional('QUAYSIDE_WEBSITE_DOMAIN', {
    meaning: 'Hosts `{bucket}.{website domain}` are websites of buckets. A domain without a port.',
    parse: (value) => parseDomain('QUAYSIDE_WEBSITE_DOMAIN', value),
  }),
  namedOwnHosts: optional('QUAYSIDE_OWN_HOSTS', {
    meaning:
      'Hosts of the service besides those two domains, with commas between: no bucket can be ' +
      'bound to them. ' +
      'Until it is set, only the root account can bind hosts.',
    parse: parseOwnHosts,
  }),
  requiresHostProof: onOff('QUAYSIDE_HOST_PROOF', {
    meaning:
      'Whether accounts prove by a record of DNS that a host is theirs before they bind it ' +
      '([hosts of your own](hosting.md#host-names-of-your-own)). The root account need not. ' +
      '`off` is for installations whose accounts all trust each other.',
    fallback: 'on',
  }),
  dnsResolver: optional('QUAYSIDE_DNS_RESOLVER', {
    meaning:
      'Resolver for that record: addresses of DNS servers with commas between (Node), ' +
      'or the URL of DNS over HTTPS in JSON.',
    parse: (value, platform) => parseDnsResolver(value, platform === 'node'),
    shown: { node: "the system's servers", cloudflare: '`https://cloudflare-dns.com/dns-query`' },
  }),
} as const;

/** Settings of connections. */
export const CONNECTION_SETTINGS = {
  trustedProxies: optional('QUAYSIDE_TRUSTED_PROXIES', {
    meaning:
      'Proxies, as addresses and CIDR ranges with commas between, ' +
      'whose X-Forwarded-For and X-Forwarded-Proto are believed.',
    only: 'node',
    parse: (value) => parseAddressRanges('QUAYSIDE_TRUSTED_PROXIES', value),
  }),
  countryHeader: optional('QUAYSIDE_COUNTRY_HEADER', {
    meaning:
      'Header in which a proxy in front says the country of a client, as two letters. ' +
      'Set it only where that proxy replaces what clients send. Cloudflare tells it by itself.',
    only: 'node',
    parse: (value) => parseHeaderName('QUAYSIDE_COUNTRY_HEADER', value),
  }),
  connectionsMax: whole('QUAYSIDE_CONNECTIONS_MAX', {
    meaning:
      'Connections at once, about 100 KiB each while idle. ' +
      'A further one gets a response to `/-/health` and to nothing else.',
    unit: 'connections',
    fallback: 4096,
    min: 1,
    max: 1_000_000,
    only: 'node',
  }),
  connectionsPerAddress: whole('QUAYSIDE_CONNECTIONS_PER_ADDRESS', {
    meaning:
      'Connections at once of one IPv4 address, or of one IPv6 network of 64 bits, ' +
      "unless it is a trusted proxy's. 0: any number. A browser opens 6.",
    unit: 'connections',
    fallback: 1024,
    min: 0,
    max: 1_000_000,
    only: 'node',
  }),
  requestHeadMs: wholeSecondsAsMs('QUAYSIDE_REQUEST_HEAD_SECONDS', {
    meaning:
      'Time for the head of a request, from the connection or its first byte to its end. ' +
      "Apache's mod_reqtimeout gives 20 to 40.",
    unit: 'seconds',
    fallback: 30,
    min: 1,
    max: 600,
    only: 'node',
  }),
  receiveRateMin: whole('QUAYSIDE_RECEIVE_RATE_MIN', {
    meaning: "Rate that a body must come at, over a minute. 0: any. As Apache's mod_reqtimeout.",
    unit: 'bytes a second',
    fallback: 500,
    min: 0,
    max: 1_000_000_000,
    only: 'node',
  }),
} as const;

type Parse<Part> = (text: string) => readonly Part[];

/** Reads a part of QUAYSIDE_SEED; none without it. ConfigError. */
export function parseSeedText<Part>(value: string | null, parse: Parse<Part>): readonly Part[] {
  if (value === null) return [];
  try {
    return parse(value);
  } catch (error) {
    throw error instanceof SeedError ? new ConfigError(`QUAYSIDE_SEED: ${error.message}`) : error;
  }
}

function parseMasterKeyText(value: string | null): MasterKeys {
  const keys = value === null ? [] : parseMasterKeys(value);
  if (keys !== null) return keys;
  throw new ConfigError(
    'QUAYSIDE_MASTER_KEY must be keys of 32 bytes in hex or base64, each once, ' +
      'with commas between.',
  );
}

/** The hosts of the setting; null when it is not set. */
function parseOwnHosts(value: string | null): readonly string[] | null {
  if (value === null) return null;
  const hosts = value.split(',').map((host) => host.trim());
  const named = hosts.filter((host) => host !== '');
  return named.map((host) => requireDomain('QUAYSIDE_OWN_HOSTS', host));
}
