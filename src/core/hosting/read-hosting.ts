// The parser of hosting settings, which an owner sends as JSON; missing settings
// get their defaults. Every refusal names the setting and what it may be. Unknown
// settings are refused too, or a typing error would have no effect. Called by every
// surface that changes hosting.

import { StorageError } from '../../domain/errors.ts';
import type {
  HostedDomain,
  HostingSettings,
  HotlinkRules,
  ImageSettings,
} from '../../domain/hosting.ts';
import { isJsonObject } from '../json.ts';
import { IMAGE_MAX_SIDE_PX, KEY_MAX_BYTES } from '../limits.ts';
import { hasWellFormedTexts } from '../well-formed-texts.ts';
import { compileGlobs, GLOB_STATES_MAX } from './compile-globs.ts';
import { GLOB_MAX_LENGTH, isGlob } from './glob.ts';
import { HOST_MAX_LENGTH, hostNameOf, isBindableHost } from './host-names.ts';

/**
 * Largest document, bytes of JSON. It is part of the bucket read policy, which
 * readers cache in memory.
 */
export const HOSTING_MAX_BYTES = 32 * 1024;
/** Rules for Cache-Control of one bucket. Our own limit. */
const CACHE_CONTROL_RULES_MAX = 50;
/** Hosts that may show protected objects. Our own limit. */
const HOTLINK_HOSTS_MAX = 100;
/** Patterns of protected objects. Our own limit. */
const HOTLINK_PATTERNS_MAX = 20;
/** Host names of one bucket. Our own limit. */
const DOMAINS_MAX = 20;
/** Sizes of images that a document can list. Our own limit. */
const IMAGE_SIZES_MAX = 50;
/** Longest header value in a document, characters. */
const HEADER_MAX_LENGTH = 256;
/**
 * Longest name of a document below a root, and longest root, characters: both fit
 * into a key.
 */
const NAME_MAX_LENGTH = KEY_MAX_BYTES / 4;

/** The settings of `{}`. */
export const HOSTING_DEFAULTS: HostingSettings = {
  indexDocument: 'index.html',
  errorDocument: '404.html',
  cleanUrls: true,
  trailingSlash: 'auto',
  spaFallback: false,
  ruleFiles: true,
  cacheControlRules: [],
  compression: true,
  images: null,
  immutableHashedNames: true,
  directoryListing: false,
  hotlink: null,
  securityHeaders: 'basic',
  robots: 'allow',
  domains: [],
};

/** Reads one value; `at` is its path in the document, for messages. */
type Reader<Value> = (value: unknown, at: string) => Value;

function refuse(at: string, what: string): never {
  throw new StorageError('InvalidRequest', {
    detail: `${at} must be ${what}.`,
    fields: { Setting: at },
  });
}

/**
 * Parses a document. `ownHosts`: hosts that no bucket can be bound to.
 * InvalidRequest.
 */
export function readHosting(bytes: Uint8Array, ownHosts: readonly string[]): HostingSettings {
  if (bytes.length > HOSTING_MAX_BYTES)
    refuse('hosting', `JSON of at most ${HOSTING_MAX_BYTES} bytes`);
  let json: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    if (!hasWellFormedTexts(text)) refuse('hosting', 'made of whole characters');
    json = JSON.parse(text);
  } catch (cause) {
    if (cause instanceof StorageError) throw cause;
    throw new StorageError('InvalidRequest', {
      detail: 'The hosting settings must be JSON in UTF-8.',
      cause,
    });
  }
  return readFields(json, 'hosting', HOSTING_DEFAULTS, {
    indexDocument: readIndexDocument,
    errorDocument: orNull(readDocumentPath),
    cleanUrls: readSwitch,
    trailingSlash: oneOf('auto', 'always', 'never'),
    spaFallback: readSwitch,
    ruleFiles: readSwitch,
    cacheControlRules: readCacheControlRules,
    compression: readSwitch,
    images: orNull(readImages),
    immutableHashedNames: readSwitch,
    directoryListing: readSwitch,
    hotlink: orNull(readHotlink),
    securityHeaders: oneOf('off', 'basic', 'strict'),
    robots: oneOf('allow', 'disallow'),
    domains: (value, at) => readDomains(value, at, ownHosts),
  });
}

/**
 * Reads an object with these fields and no others; a missing one has its default or
 * is refused.
 */
function readFields<Value extends object>(
  value: unknown,
  at: string,
  defaults: Partial<Value> | null,
  readers: { readonly [Name in keyof Value]: Reader<Value[Name]> },
): Value {
  if (!isJsonObject(value)) refuse(at, 'an object');
  const names = Object.keys(readers) as (keyof Value & string)[];
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(readers, name)) continue;
    throw new StorageError('InvalidRequest', {
      detail: `${at} has no setting "${name.slice(0, 60)}". It has: ${names.join(', ')}.`,
      fields: { Setting: at },
    });
  }
  const entries = names.map((name) => {
    const field = value[name];
    if (field === undefined && defaults !== null && name in defaults) return [name, defaults[name]];
    return [name, readers[name](field, `${at}.${name}`)];
  });
  return Object.fromEntries(entries) as Value;
}

function orNull<Value>(read: Reader<Value>): Reader<Value | null> {
  return (value, at) => (value === null ? null : read(value, at));
}

function oneOf<Choice extends string>(...choices: readonly Choice[]): Reader<Choice> {
  return (value, at) =>
    choices.find((choice) => choice === value) ?? refuse(at, choices.join(' or '));
}

function listOf<Value>(max: number, read: Reader<Value>): Reader<readonly Value[]> {
  return (value, at) => {
    if (!Array.isArray(value) || value.length > max) refuse(at, `a list of at most ${max}`);
    return value.map((item, i) => read(item, `${at}[${i}]`));
  };
}

const readSwitch: Reader<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : refuse(at, 'true or false');

const readHeaderValue: Reader<string> = (value, at) =>
  typeof value === 'string' &&
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) &&
  value.length <= HEADER_MAX_LENGTH
    ? value
    : refuse(at, `the value of a header: visible ASCII, at most ${HEADER_MAX_LENGTH} characters`);

const readPattern: Reader<string> = (value, at) =>
  typeof value === 'string' && isGlob(value)
    ? value
    : refuse(
        at,
        `a pattern like "/assets/**" or "*.{png,jpg}", at most ${GLOB_MAX_LENGTH} characters`,
      );

/**
 * Refuses a list of patterns that takes too long to match, for every new object is
 * matched.
 */
function requireRoom(patterns: readonly string[], at: string): void {
  if (compileGlobs(patterns).leftOut === 0) return;
  const counted = 'characters and wildcards, counted anew for each combination of braces';
  refuse(at, `patterns of at most ${GLOB_STATES_MAX} places together (${counted})`);
}

const readCacheControlRules: Reader<HostingSettings['cacheControlRules']> = (value, at) => {
  const rules = listOf<HostingSettings['cacheControlRules'][number]>(
    CACHE_CONTROL_RULES_MAX,
    (item, itemAt) =>
      readFields(item, itemAt, null, { match: readPattern, cacheControl: readHeaderValue }),
  )(value, at);
  requireRoom(
    rules.map(({ match }) => match),
    at,
  );
  return rules;
};

const readProtectedPatterns: Reader<readonly string[]> = (value, at) => {
  const patterns = listOf(HOTLINK_PATTERNS_MAX, readPattern)(value, at);
  requireRoom(patterns, at);
  return patterns;
};

const isName = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= NAME_MAX_LENGTH &&
  value.isWellFormed();

const readIndexDocument: Reader<string> = (value, at) =>
  isName(value) && !value.includes('/')
    ? value
    : refuse(at, 'the name of a file, like "index.html"');

const readDocumentPath: Reader<string> = (value, at) => {
  const path = typeof value === 'string' && value.startsWith('/') ? value.slice(1) : value;
  return isName(path) && !path.endsWith('/')
    ? path
    : refuse(at, 'the path of a file, like "404.html", or null');
};

const readAllowedHost: Reader<string> = (value, at) => {
  const name = typeof value === 'string' ? value.toLowerCase() : '';
  const bare = name.startsWith('*.') ? name.slice(2) : name;
  return bare.length <= HOST_MAX_LENGTH && /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(bare)
    ? name
    : refuse(at, 'a host name, like "example.com" or "*.example.com"');
};

const readHotlink: Reader<HotlinkRules> = (value, at) =>
  readFields<HotlinkRules>(
    value,
    at,
    { allowedHosts: [], allowEmptyReferer: true, match: ['/**'] },
    {
      allowedHosts: listOf(HOTLINK_HOSTS_MAX, readAllowedHost),
      allowEmptyReferer: readSwitch,
      match: readProtectedPatterns,
    },
  );

const readImages: Reader<ImageSettings> = (value, at) =>
  readFields<ImageSettings>(
    value,
    at,
    { sizes: [], maxSize: IMAGE_MAX_SIDE_PX },
    { sizes: readImageSizes, maxSize: readImageSize },
  );

const readImageSizes: Reader<ImageSettings['sizes']> = (value, at) => {
  if (typeof value !== 'string') return listOf(IMAGE_SIZES_MAX, readImageSize)(value, at);
  return value === 'any' ? value : refuse(at, `"any" or a list of at most ${IMAGE_SIZES_MAX}`);
};

const readImageSize: Reader<number> = (value, at) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= IMAGE_MAX_SIDE_PX
    ? value
    : refuse(at, `a number of pixels from 1 to ${IMAGE_MAX_SIDE_PX}`);

function readDomains(
  value: unknown,
  at: string,
  ownHosts: readonly string[],
): readonly HostedDomain[] {
  const readHost: Reader<string> = (name, hostAt) => {
    const host = typeof name === 'string' ? hostNameOf(name) : '';
    if (isBindableHost(host, ownHosts) && name === host) return host;
    return refuse(
      hostAt,
      'a domain name in lower case, without scheme or port, that is not of this service',
    );
  };
  const domains = listOf(DOMAINS_MAX, (item, itemAt) =>
    readFields<HostedDomain>(item, itemAt, { prefix: '' }, { host: readHost, prefix: readPrefix }),
  )(value, at);
  const twice = domains.find(
    ({ host }, i) => domains.findIndex((other) => other.host === host) !== i,
  );
  return twice === undefined ? domains : refuse(at, `a list without "${twice.host}" twice`);
}

const readPrefix: Reader<string> = (value, at) =>
  value === '' || (isName(value) && value.endsWith('/') && !value.startsWith('/'))
    ? (value as string)
    : refuse(at, 'empty, or a folder like "site/"');
