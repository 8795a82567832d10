import { expect, it } from 'vitest';
import { createLinkTickets } from '../../../src/core/links/link-tickets.ts';
import { newLabelId, newLinkId } from '../../../src/core/links/new-link-ids.ts';
import { LINK_TICKET_MS } from '../../../src/domain/links/link-limits.ts';

const NOW_MS = Date.UTC(2026, 10, 23);
const subject = { id: newLinkId(), labelId: null, passwordRevision: 1 };
const tickets = createLinkTickets('a secret of the server');

it('an access ticket lets in whoever has it, for twelve hours', () => {
  const ticket = tickets.issue(subject, NOW_MS, null);
  expect(tickets.isGood(subject, ticket, NOW_MS)).toBe(true);
  expect(tickets.isGood(subject, ticket, NOW_MS + LINK_TICKET_MS - 1000)).toBe(true);
  expect(tickets.isGood(subject, ticket, NOW_MS + LINK_TICKET_MS + 1000)).toBe(false);
});

it('an access ticket ends with its link', () => {
  const ticket = tickets.issue(subject, NOW_MS, NOW_MS + 5000);
  expect(tickets.isGood(subject, ticket, NOW_MS + 4000)).toBe(true);
  expect(tickets.isGood(subject, ticket, NOW_MS + 6000)).toBe(false);
});

it('an access ticket is for one link, label and password, and of one server', () => {
  const ticket = tickets.issue(subject, NOW_MS, null);
  for (const other of [
    { ...subject, id: newLinkId() },
    { ...subject, labelId: newLabelId() },
    { ...subject, passwordRevision: 2 },
  ])
    expect(tickets.isGood(other, ticket, NOW_MS)).toBe(false);
  expect(createLinkTickets('another').isGood(subject, ticket, NOW_MS)).toBe(false);
});

it('an access ticket can not be made longer or up', () => {
  const ticket = tickets.issue(subject, NOW_MS, null);
  const mac = ticket.slice(ticket.indexOf('.'));
  const later = Math.ceil((NOW_MS + 2 * LINK_TICKET_MS) / 1000).toString(36);
  for (const forged of [later + mac, '', '.', mac, `${ticket}0`, 'z'.repeat(1000), `-1${mac}`])
    expect(tickets.isGood(subject, forged, NOW_MS)).toBe(false);
});
