// Tells an account what happens to its share links, by the webhooks that subscribe
// to `link.*`: opened for the first time, downloaded, limit near. Runs behind
// responses; where the process ends before a message is in the outbox, the counts
// are all there is.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { LinkEntry } from '../../../domain/links/link-ids.ts';
import { LINK_NEAR_PERCENT } from '../../../domain/links/link-limits.ts';
import {
  bytesMaxOf,
  type ShareLabel,
  type ShareLink,
  type ShareUsage,
} from '../../../domain/links/share-links.ts';
import type { ShareSettlement } from '../../../domain/links/share-records.ts';
import type { AccountEvent } from '../../../domain/webhooks.ts';
import type { Core } from '../../core.ts';
import { enqueue } from '../../outbox/deliveries.ts';

/** Hex digits of a message id: 128 bits. */
const MESSAGE_ID_LENGTH = 32;

type Reported = {
  readonly entry: LinkEntry;
  readonly link: ShareLink;
  readonly label: ShareLabel | null;
};

/** Called when a response of a limited link was settled. */
export type ReportShare = (reported: Reported, settlement: ShareSettlement) => void;

/** Makes the report of settled downloads. */
export function reportShareEvents(core: Core): ReportShare {
  return ({ entry, link, label }, { completed, before, usage }) => {
    const { downloads, bytes } = usage;
    const facts = {
      linkId: entry.id,
      bucket: entry.bucket.name,
      label: label?.name ?? null,
      downloads,
      bytes: `${bytes}`,
    };
    if (completed) report(core, entry, 'link.downloaded', facts, ['downloaded', downloads, bytes]);
    // The one settlement that passes it tells, though what it ends was broken off.
    if (isNear(link, usage) && !isNear(link, before))
      report(core, entry, 'link.limit-near', facts, ['near', link.limits]);
  };
}

/** Tells that a link of an account was opened for the first time. */
export function reportFirstOpened(core: Core, entry: LinkEntry): void {
  const data = { linkId: entry.id, bucket: entry.bucket.name };
  report(core, entry, 'link.opened', data, ['opened']);
}

function report(
  core: Core,
  { id, accountId }: LinkEntry,
  type: AccountEvent,
  data: object,
  identity: readonly unknown[],
): void {
  const messageId = sha256Hex(JSON.stringify([id, ...identity])).slice(0, MESSAGE_ID_LENGTH);
  core.ports.background.run('share-event', () => enqueue(core, accountId, type, data, messageId));
}

/** Whether a link has used 80 % of one of its limits. */
function isNear(link: ShareLink, { downloads, bytes }: ShareUsage): boolean {
  const isPast = (used: number, max: number | null) =>
    max !== null && 100 * used >= LINK_NEAR_PERCENT * max;
  return isPast(downloads, link.limits.downloads) || isPast(bytes, bytesMaxOf(link));
}
