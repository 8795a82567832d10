// Parses the texts of settings, one function a form; the tables beside this file
// say which setting has which. Everything here throws ConfigError for a text that
// can't be used, and never shows a secret in it.

/**
 * A setting that cannot be used; the message names its variable and never shows a
 * secret.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Parses an access key id: S3 clients expect 16 to 128 word characters. Source: AWS
 * IAM API, AccessKey.AccessKeyId.
 */
export function parseAccessKey(value: string | null): string | null {
  if (value === null || /^[\w-]{3,128}$/.test(value)) return value;
  throw new ConfigError(
    'QUAYSIDE_ROOT_ACCESS_KEY must be 3 to 128 letters, digits, hyphens or underscores.',
  );
}

/**
 * Parses a secret key. A short one can be guessed offline from one signed request;
 * 8 characters are the least that other S3 servers take.
 */
export function parseSecretKey(value: string | null): string | null {
  if (value === null || /^[\x21-\x7e]{8,256}$/.test(value)) return value;
  throw new ConfigError('QUAYSIDE_ROOT_SECRET_KEY must be 8 to 256 visible ASCII characters.');
}

/**
 * Parses a bearer token. Anybody may guess at it over the network, so it is not
 * short. Its characters are those of RFC 6750.
 */
export function parseToken(variable: string, value: string | null): string | null {
  if (value === null || /^[\w.~+/=-]{16,256}$/.test(value)) return value;
  throw new ConfigError(`${variable} must be 16 to 256 letters, digits or any of - . _ ~ + / =`);
}

/** Parses a domain into lower case, null for none. ConfigError names `variable`. */
export function parseDomain(variable: string, value: string | null): string | null {
  return value === null ? null : requireDomain(variable, value);
}

/**
 * Parses a domain that must be there, into lower case. ConfigError names
 * `variable`.
 */
export function requireDomain(variable: string, value: string): string {
  const domain = value.toLowerCase();
  if (
    domain.length <= 253 &&
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(domain)
  ) {
    return domain;
  }
  throw new ConfigError(`${variable} must be a domain name without scheme, port or wildcard.`);
}

/** Parses the name of a header, in any case; gives it in lower case. ConfigError. */
export function parseHeaderName(variable: string, value: string | null): string | null {
  if (value === null) return null;
  if (/^[A-Za-z0-9-]{1,64}$/.test(value)) return value.toLowerCase();
  throw new ConfigError(`${variable} must be the name of a header, like CF-IPCountry.`);
}

/** Parses a region as SigV4 credential scopes have them. */
export function parseRegion(value: string): string {
  if (/^[a-z0-9-]{1,63}$/.test(value)) return value;
  throw new ConfigError(
    'QUAYSIDE_REGION must be lower-case letters, digits and hyphens, like us-east-1.',
  );
}

/**
 * Parses the id of a rate card; whether there is one is checked when a bill is
 * made.
 */
export function parseRateCardId(value: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(value)) return value;
  throw new ConfigError('QUAYSIDE_RATE_CARD must be the id of a rate card, like cloudflare-r2.');
}

/** Parses the issuer of bills, which stands on invoices as it is. */
export function parseIssuer(value: string): string {
  if (/^[^\p{Cc}]{1,200}$/u.test(value)) return value;
  throw new ConfigError('QUAYSIDE_INVOICE_ISSUER must be one line of at most 200 characters.');
}

/** Parses the URL of Stripe's API, which has no path. */
export function parseStripeUrl(value: string): string {
  // The secret key goes to this host with every message.
  if (
    /^(?:https:\/\/[a-z0-9.-]{1,253}|http:\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?$/.test(value)
  )
    return value;
  throw new ConfigError(
    'QUAYSIDE_STRIPE_URL must be https:// and a host, without a path; ' +
      'http:// for this machine alone.',
  );
}

/** Parses a value that goes out as a header. */
export function parseHeaderText(name: string, value: string): string {
  if (/^[\x20-\x7e]{1,1024}$/.test(value)) return value;
  throw new ConfigError(`${name} must be visible ASCII, at most 1024 characters.`);
}

/** Parses a switch: `on` or `off`. */
export function parseSwitch(name: string, value: string): boolean {
  return parseChoice(name, value, ['on', 'off']) === 'on';
}

const IPV4 = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;

/** Parses a list of addresses and CIDR ranges, with commas between them. */
export function parseAddressRanges(variable: string, value: string | null): readonly string[] {
  if (value === null) return [];
  return value.split(',').map((entry) => {
    const range = entry.trim().toLowerCase();
    const [network = '', bits, ...rest] = range.split('/');
    const isV4 = IPV4.test(network);
    const isV6 =
      /^[0-9a-f:.]+$/.test(network) &&
      network.includes(':') &&
      URL.canParse(`http://[${network}]/`);
    const areBitsFine =
      bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isV4 ? 32 : 128));
    if ((isV4 || isV6) && areBitsFine && rest.length === 0) return range;
    throw new ConfigError(
      `${variable} must be addresses or ranges like 10.0.0.0/8, not "${range.slice(0, 60)}".`,
    );
  });
}

/**
 * A resolver: DNS over HTTPS at `url`, else these servers; neither: the platform's
 * own.
 */
export type DnsResolver = { readonly url: string | null; readonly servers: readonly string[] };

/** An address of a DNS server: `1.1.1.1`, `127.0.0.1:5353`, `::1`, `[::1]:53`. */
const DNS_SERVER = /^(?:[0-9.]{7,15}(?::\d{1,5})?|[0-9a-f:]{2,39}|\[[0-9a-f:]{2,39}\]:\d{1,5})$/;
const DNS_URL =
  /^(?:https:\/\/[a-z0-9.-]{1,253}|http:\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?\/[\w/.-]{0,255}$/;

/**
 * Parses a resolver. `hasSockets`: the platform reaches servers, not DNS over HTTPS
 * alone.
 */
export function parseDnsResolver(value: string | null, hasSockets: boolean): DnsResolver {
  if (value === null) return { url: null, servers: [] };
  if (DNS_URL.test(value)) return { url: value, servers: [] };
  const servers = value.split(',').map((address) => address.trim().toLowerCase());
  if (hasSockets && servers.every(isServerAddress)) return { url: null, servers };
  const orServers = hasSockets ? 'addresses of DNS servers with commas between, or ' : '';
  throw new ConfigError(
    `QUAYSIDE_DNS_RESOLVER must be ${orServers}the https:// URL of DNS over HTTPS; ` +
      'http:// for this machine alone.',
  );
}

function isServerAddress(text: string): boolean {
  if (!DNS_SERVER.test(text)) return false;
  const isBareV6 = !text.includes('.') && !text.startsWith('[');
  const url = `http://${isBareV6 ? `[${text}]` : text}/`;
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  // A URL completes short forms of IPv4, which a resolver does not take.
  return host.startsWith('[') || (IPV4.test(host) && text.startsWith(host));
}

/** Parses one of the words that the variable may be. ConfigError. */
export function parseChoice<const Choice extends string>(
  variable: string,
  value: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  const listed = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  throw new ConfigError(`${variable} must be ${listed}, not "${value.slice(0, 40)}".`);
}

/** Parses ids of master keys for QUAYSIDE_WITHOUT_MASTER_KEYS. ConfigError. */
export function parseMasterKeyIds(value: string | null): readonly string[] {
  const ids = (value ?? '').split(/[\s,]+/).filter((id) => id !== '');
  if (ids.every((id) => /^[0-9a-f]{8}$/.test(id))) return ids;
  throw new ConfigError(
    'QUAYSIDE_WITHOUT_MASTER_KEYS must be ids of master keys, 8 hex digits each, ' +
      'with commas between.',
  );
}
