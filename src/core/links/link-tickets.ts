// Access tickets: what the addresses of a link's page carry after its password was
// right, in place of a cookie. A ticket is `{end}.{HMAC}` over link, label, revision
// of the password and end. Nothing is stored; a changed password ends all of them.
import { createKeyedHash, isEqualInConstantTime } from '../../crypto/hash.ts';
import { deriveKey } from '../../crypto/key-wrap.ts';
import { type LinkName, linkNameText } from '../../domain/links/link-ids.ts';
import { LINK_TICKET_MAX_LENGTH, LINK_TICKET_MS } from '../../domain/links/link-limits.ts';

/** What a ticket is good for. `passwordRevision` grows with each change of the password. */
export type TicketSubject = LinkName & { readonly passwordRevision: number };

export type LinkTickets = {
  /** Makes a ticket that is good for 12 hours, but not after `endsAtMs` (null: no end). */
  issue(subject: TicketSubject, nowMs: number, endsAtMs: number | null): string;
  /** Whether the ticket is ours, for this link, and still good. Takes constant time. */
  isGood(subject: TicketSubject, ticket: string, nowMs: number): boolean;
};

/** Hex digits of the HMAC that are sent: 128 bits. */
const MAC_LENGTH = 32;

/** Derives the key from a secret of the server. A new secret ends all tickets. */
export function createLinkTickets(secret: string): LinkTickets {
  const key = deriveKey(new TextEncoder().encode(secret), 'quayside link tickets 1');
  const hash = createKeyedHash(key);
  const macOf = (subject: TicketSubject, end: string): string =>
    hash(`${linkNameText(subject)}.${subject.passwordRevision}.${end}`).slice(0, MAC_LENGTH);

  return {
    issue(subject, nowMs, endsAtMs) {
      const endMs = Math.min(nowMs + LINK_TICKET_MS, endsAtMs ?? Number.POSITIVE_INFINITY);
      const end = Math.ceil(endMs / 1000).toString(36);
      return `${end}.${macOf(subject, end)}`;
    },
    isGood(subject, ticket, nowMs) {
      const dotAt = ticket.length > LINK_TICKET_MAX_LENGTH ? -1 : ticket.indexOf('.');
      if (dotAt === -1) return false;
      const end = ticket.slice(0, dotAt);
      if (!/^[0-9a-z]{1,11}$/.test(end) || Number.parseInt(end, 36) * 1000 <= nowMs) return false;
      return isEqualInConstantTime(ticket.slice(dotAt + 1), macOf(subject, end));
    },
  };
}
