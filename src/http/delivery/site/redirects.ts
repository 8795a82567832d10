// Where a site sends a visitor: the routing rules of S3, the rules of `_redirects`,
// and the Location that comes of them. Pure. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-to-page-redirect.html
import { hostNameOf } from '../../../core/hosting/host-names.ts';
import type { RedirectRule } from '../../../core/hosting/parse-redirects.ts';
import {
  type Captures,
  decodeLeniently,
  fillTemplate,
} from '../../../core/hosting/path-pattern.ts';
import type {
  RedirectProtocol,
  RoutingRule,
  WebsiteConfiguration,
} from '../../../domain/bucket-settings.ts';
import type { KnownProtocol } from '../../request.ts';
import { encodeForXmlUrl } from '../../semantics/raw-path.ts';

/**
 * A visit as rules see it: the key as it was asked for, before an index document
 * was put in its place.
 */
export type Visit = {
  readonly key: string;
  /** Without its `?`. */
  readonly rawQuery: string;
  readonly host: string;
  readonly isSecure: boolean;
  readonly knownProtocol: KnownProtocol;
};

export type Redirect = { readonly status: number; readonly location: string };

/**
 * The first rule that applies: before the read (`errorCode` null) those without an
 * error code, after a failed one those with just that code.
 */
export function findRoutingRule(
  rules: readonly RoutingRule[],
  key: string,
  errorCode: number | null,
): RoutingRule | null {
  const applies = (rule: RoutingRule) =>
    rule.errorCode === errorCode && (rule.keyPrefix === null || key.startsWith(rule.keyPrefix));
  return rules.find(applies) ?? null;
}

/** Where a routing rule leads. */
export function followRule({ keyPrefix, redirect }: RoutingRule, visit: Visit): Redirect {
  const { hostName, protocol, replaceKeyPrefixWith, replaceKeyWith, statusCode } = redirect;
  let path = encodeForXmlUrl(visit.key);
  if (replaceKeyWith !== null) path = encodeReplacement(replaceKeyWith);
  else if (replaceKeyPrefixWith !== null) {
    path =
      encodeReplacement(replaceKeyPrefixWith) +
      encodeForXmlUrl(visit.key.slice(keyPrefix?.length ?? 0));
  }
  return { status: statusCode ?? 301, location: locate({ hostName, protocol, path }, visit) };
}

/** Where a website leads that is nothing but a redirect. */
export function followAll(
  target: NonNullable<WebsiteConfiguration['redirectAllTo']>,
  visit: Visit,
): Redirect {
  return { status: 301, location: locate({ ...target, path: encodeForXmlUrl(visit.key) }, visit) };
}

/** From `docs` to `docs/`, where that has an index document. S3 answers 302. */
export function followToFolder(visit: Visit): Redirect {
  const path = `${encodeForXmlUrl(visit.key)}/`;
  return { status: 302, location: locate({ hostName: null, protocol: null, path }, visit) };
}

/** To another path of the site, decoded and without its first slash. */
export function followToPath(status: number, path: string, visit: Visit): Redirect {
  return {
    status,
    location: locate({ hostName: null, protocol: null, path: encodeForXmlUrl(path) }, visit),
  };
}

/** Where a rule of `_redirects` leads. */
export type Target = {
  readonly redirect: Redirect;
  /**
   * The path of this very site that it is, decoded, without its first slash and its
   * query; null: somewhere else.
   */
  readonly key: string | null;
};

export function followTemplate(
  { to, status }: RedirectRule,
  captures: Captures,
  visit: Visit,
): Target {
  const target = encodeReplacement(fillTemplate(to, captures, encodeForXmlUrl));
  const [start = '', protocol = null, hostName = null] =
    /^(https?):\/\/([^/?#]+)/i.exec(target) ?? [];
  const path = target.slice(target.startsWith('/', start.length) ? start.length + 1 : start.length);
  const scheme = protocol?.toLowerCase() === 'http' ? 'http' : protocol === null ? null : 'https';
  // Where nobody knows how the visitor came, sending to https might be for ever.
  const isSameScheme =
    scheme === null || visit.knownProtocol === null || visit.knownProtocol === scheme;
  const isHere =
    (hostName === null || hostNameOf(hostName) === hostNameOf(visit.host)) && isSameScheme;
  return {
    redirect: { status, location: locate({ hostName, protocol: scheme, path }, visit) },
    key: isHere ? decodeLeniently(withoutQuery(path)) : null,
  };
}

/** The path of an address: what stands before its query and its fragment. */
export function withoutQuery(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/**
 * Whether the template is a URL of the host that was visited, so that the protocol
 * says whether it leads elsewhere.
 */
export function isUrlOfHost({ to }: RedirectRule, { host }: Visit): boolean {
  const [, hostName] = /^https?:\/\/([^/?#]+)/i.exec(to) ?? [];
  return hostName !== undefined && hostNameOf(hostName) === hostNameOf(host);
}

/**
 * A path alone where host and protocol stay as they are, so that it is right behind
 * a proxy too. The query goes along, unless the new path has one or a fragment of
 * its own (`#!/`, for pages that route themselves).
 */
function locate(
  to: {
    readonly hostName: string | null;
    readonly protocol: RedirectProtocol;
    readonly path: string;
  },
  visit: Visit,
): string {
  const query = visit.rawQuery === '' || /[?#]/.test(to.path) ? '' : `?${visit.rawQuery}`;
  if (to.hostName === null && to.protocol === null) {
    // `//evil.example` would be another host.
    const path = to.path.startsWith('/') ? `%2F${to.path.slice(1)}` : to.path;
    return `/${path}${query}`;
  }
  const protocol = to.protocol ?? (visit.isSecure ? 'https' : 'http');
  return `${protocol}://${to.hostName ?? visit.host}/${to.path}${query}`;
}

/**
 * The owner's text, reserved characters and escapes as they stand; what no URL can
 * hold is encoded.
 */
function encodeReplacement(text: string): string {
  return text.replace(/[^\x21-\x7e]|[\\"<>]/gu, (character) => encodeURIComponent(character));
}
