// Opens a share link for one request: finds it, and whether it lets this visitor in.
// Called by answer-share.ts. It asks the index only for a link that memory does not
// know; what is left of limits is asked where it matters.
import type { Core } from '../../../core/core.ts';
import type { LinkTickets } from '../../../core/links/link-tickets.ts';
import type { CheckSharePassword } from '../../../core/links/share/check-password.ts';
import { StorageError } from '../../../domain/errors.ts';
import { isInRange, parseIp, parseIpRange } from '../../../domain/ip-range.ts';
import type { LinkEntry, LinkName } from '../../../domain/links/link-ids.ts';
import {
  type ShareLabel,
  type ShareLink,
  type ShareState,
  stateByTime,
} from '../../../domain/links/share-links.ts';
import type { HotShare } from '../../../ports/caches/hot-shares.ts';
import type { HttpRequest } from '../../request.ts';
import { decodeFormText } from '../../semantics/raw-path.ts';

/** A link with the visitor that it was opened for. */
export type OpenShare = {
  readonly entry: LinkEntry;
  readonly name: LinkName;
  readonly link: ShareLink;
  readonly label: ShareLabel | null;
  readonly state: ShareState;
  /** The ticket that the visitor has shown, or gets for its password; null: none is needed. */
  readonly ticket: string | null;
  readonly password: { readonly wasWrong: boolean; readonly waitSeconds: number | null } | null;
};

/** How a visitor may show that it knows the password. */
export type ShownSecrets = {
  readonly ticket: string | null;
  readonly password: string | null;
};

export type OpenShareParts = {
  readonly tickets: LinkTickets;
  readonly checkPassword: CheckSharePassword;
  /** The country that a visitor is in; null: nobody can tell. */
  readonly countryOf: (request: HttpRequest) => string | null;
};

/** Opens it. NoSuchResource; SlowDown (too many passwords at once). */
export type OpenShareLink = (
  request: HttpRequest,
  entry: LinkEntry,
  name: LinkName,
  secrets: ShownSecrets,
) => Promise<OpenShare>;

/**
 * The link of an entry with the label of its address, from the index where memory
 * lacks them; null: one of them is gone.
 */
export function findShare(
  { ports }: Core,
  { bucket }: LinkEntry,
  name: LinkName,
): HotShare | null | Promise<HotShare | null> {
  return ports.hotShares.find(name, bucket, async () => {
    const input = { bucket, ...name };
    const found = await ports.metadataIndex.call(bucket.name, 'findShareLink', input);
    return found === null ? null : { link: found.link, label: found.label };
  });
}

export function createOpenShare(core: Core, parts: OpenShareParts): OpenShareLink {
  const { tickets, checkPassword, countryOf } = parts;
  const { clock } = core.ports;

  return async (request, entry, name, secrets) => {
    const share = await findShare(core, entry, name);
    if (share === null) throw new StorageError('NoSuchResource');
    const { link, label } = share;

    const open = { entry, name, link, label, ticket: null, password: null };
    const closed = stateByTime(link, clock.nowMs());
    if (closed !== null) return { ...open, state: closed };
    if (label !== null && label.revokedAtMs !== null) return { ...open, state: 'revoked' };
    if (!isInAudience(link, request.remoteAddress, countryOf(request)))
      return { ...open, state: 'not-for-you' };
    if (link.passwordHash === null) return { ...open, state: 'open' };
    return withPassword(open, request, secrets);
  };

  async function withPassword(
    open: Omit<OpenShare, 'state'>,
    request: HttpRequest,
    { ticket, password }: ShownSecrets,
  ): Promise<OpenShare> {
    const { link, name, entry } = open;
    const nowMs = clock.nowMs();
    const subject = { ...name, passwordRevision: link.passwordRevision };
    if (ticket !== null && tickets.isGood(subject, ticket, nowMs))
      return { ...open, state: 'open', ticket };
    if (password === null) return { ...open, state: 'password' };

    const outcome = await checkPassword(link, entry.accountId, password, request.remoteAddress);
    if (outcome.kind === 'right')
      return { ...open, state: 'open', ticket: tickets.issue(subject, nowMs, link.expiresAtMs) };
    const waitSeconds = outcome.kind === 'wait' ? outcome.seconds : null;
    return { ...open, state: 'password', password: { wasWrong: true, waitSeconds } };
  }
}

/** Whether the link is for somebody at that address in that country. */
export function isInAudience(
  { audience: { addresses, countries } }: Pick<ShareLink, 'audience'>,
  remoteAddress: string | null,
  country: string | null,
): boolean {
  if (countries !== null && (country === null || !countries.includes(country))) return false;
  if (addresses === null) return true;
  const ip = remoteAddress === null ? null : parseIp(remoteAddress);
  if (ip === null) return false;
  return addresses.some((text) => {
    const range = parseIpRange(text);
    return range !== null && isInRange(ip, range);
  });
}

/** Longest Basic credentials that are read, characters: a name and a password of 128. */
const BASIC_MAX_LENGTH = 2048;

/** The password of HTTP Basic with any name; null without. Source: RFC 7617 section 2 */
export function basicPassword({ header }: Pick<HttpRequest, 'header'>): string | null {
  const text = header('authorization');
  if (text === null || text.length > BASIC_MAX_LENGTH || !/^basic /i.test(text)) return null;
  try {
    const bytes = Uint8Array.fromBase64(text.slice('basic '.length).trim());
    const pair = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const colonAt = pair.indexOf(':');
    return colonAt === -1 ? null : pair.slice(colonAt + 1);
  } catch {
    return null;
  }
}

/** The fields of a form as browsers send it. InvalidURI. */
export function readForm(bytes: Uint8Array): readonly (readonly [name: string, value: string])[] {
  const text = new TextDecoder('latin1').decode(bytes);
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): readonly [string, string] => {
      const at = pair.indexOf('=');
      return at === -1
        ? [decodeFormText(pair), '']
        : [decodeFormText(pair.slice(0, at)), decodeFormText(pair.slice(at + 1))];
    });
}
