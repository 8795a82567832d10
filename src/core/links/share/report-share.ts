// Tells an account what happens to its share links, by the webhooks that subscribe
// to `link.*`: opened for the first time, downloaded, limit near. Runs behind
// responses; where the process ends before a message is in the outbox, the counts
// are all there is.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { LinkEntry } from '../../../domain/links/link-ids.ts';
import { LINK_NEAR_PERCENT } from '../../../domain/links/link-limits.ts';
import { bytesMaxOf, type ShareLabel, type ShareLink } from '../../../domain/links/share-links.ts';
import type { Core } from '../../core.ts';
import { enqueue } from '../../outbox/deliveries.ts';

/** Hex digits of a message id: 128 bits. */
const MESSAGE_ID_LENGTH = 32;

type Reported = {
  readonly entry: LinkEntry;
  readonly link: ShareLink;
  readonly label: ShareLabel | null;
};

/** Called when a response of a limited link was settled, with the link's counts then. */
export type ReportShare = (
  reported: Reported,
  completed: boolean,
  downloads: number,
  bytes: number,
) => void;

/** Makes the report of settled downloads. */
export function reportShareEvents(core: Core): ReportShare {
  return ({ entry, link, label }, completed, downloads, bytes) => {
    const facts = {
      linkId: entry.id,
      bucket: entry.bucket.name,
      label: label?.name ?? null,
      downloads,
      bytes: `${bytes}`,
    };
    if (completed) report(core, entry, 'link.downloaded', facts, ['downloaded', downloads, bytes]);
    const percent = percentUsed(link, downloads, bytes);
    // The first settlement beyond it tells; others have the same message id.
    if (completed && percent >= LINK_NEAR_PERCENT)
      report(core, entry, 'link.limit-near', facts, ['near', link.limits]);
  };
}

/** Tells that links of an account were opened for the first time. */
export function reportFirstOpened(core: Core, entry: LinkEntry): void {
  const data = { linkId: entry.id, bucket: entry.bucket.name };
  report(core, entry, 'link.opened', data, ['opened']);
}

function report(
  core: Core,
  { id, accountId }: LinkEntry,
  type: string,
  data: object,
  identity: readonly unknown[],
): void {
  const messageId = sha256Hex(JSON.stringify([id, ...identity])).slice(0, MESSAGE_ID_LENGTH);
  core.ports.background.run('share-event', () => enqueue(core, accountId, type, data, messageId));
}

/** How much of its nearest limit a link has used. */
function percentUsed(link: ShareLink, downloads: number, bytes: number): number {
  const bytesMax = bytesMaxOf(link);
  const ofDownloads = link.limits.downloads === null ? 0 : downloads / link.limits.downloads;
  const ofBytes = bytesMax === null ? 0 : bytes / bytesMax;
  return 100 * Math.max(ofDownloads, ofBytes);
}
