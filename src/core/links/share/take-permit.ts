// Takes a permit for one response of a limited share link, and watches the response:
// it reports how far it came, settles what was really sent, and cuts it when the
// link is revoked and wants that. Called by http/links/share.
import { createKeyedHash } from '../../../crypto/hash.ts';
import { deriveKey } from '../../../crypto/key-wrap.ts';
import { randomText } from '../../../crypto/random-text.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { LabelId, LinkEntry } from '../../../domain/links/link-ids.ts';
import { LINK_PERMIT_MS, LINK_PERMIT_RENEW_MS } from '../../../domain/links/link-limits.ts';
import { bytesMaxOf, type ShareLink, type ShareState } from '../../../domain/links/share-links.ts';
import type { ShareSettlement } from '../../../domain/links/share-records.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';

/** What a visitor wants of a link, and who it is as far as that shows. */
export type SharePart = {
  readonly entry: LinkEntry;
  readonly labelId: LabelId | null;
  readonly link: ShareLink;
  /** Names the bytes: a version, or what a ZIP is made of. */
  readonly contentId: string;
  readonly sizeBytes: number;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  readonly remoteAddress: string | null;
  readonly userAgent: string | null;
};

/** A permit that was taken. `sentBytes`: of its part, so far or in all. */
export type SharePermit = {
  /** Reports progress when the last report is half a minute old. No waiting. */
  progress(sentBytes: number): void;
  /** Settles it, once; null: the permit had ended by its time. */
  settle(sentBytes: number): Promise<ShareSettlement | null>;
};

/** Why no permit is given. */
export type ShareRefusal =
  | { readonly kind: 'closed'; readonly state: ShareState }
  | { readonly kind: 'busy' };

export type TakeSharePermit = (part: SharePart) => Promise<SharePermit | ShareRefusal>;

/** Characters of a permit's id: 120 bits. */
const PERMIT_ID_LENGTH = 24;
/** Characters of a visitor's name that are looked at. */
const AGENT_MAX_LENGTH = 512;

/** Whether it is a refusal. */
export const isRefusal = (outcome: SharePermit | ShareRefusal): outcome is ShareRefusal =>
  'kind' in outcome;

/** Makes it. `secret`: of the server, for the daily salt of visitors' digests. */
export function createTakeSharePermit({ ports }: Core, secret: string): TakeSharePermit {
  const { background, clock, metadataIndex } = ports;
  const hash = createKeyedHash(deriveKey(new TextEncoder().encode(secret), 'quayside downloads 1'));

  /** One id for the requests of one download: of a visitor, for a version, today. */
  function downloadIdOf(part: SharePart, nowMs: number): string {
    const agent = part.userAgent?.slice(0, AGENT_MAX_LENGTH) ?? '';
    const day = Math.floor(nowMs / DAY_MS);
    const facts = [day, part.labelId, part.contentId, part.remoteAddress, agent];
    return hash(JSON.stringify(facts));
  }

  return async (part) => {
    const { entry, labelId, link, sizeBytes, offsetBytes, lengthBytes } = part;
    const { bucket, id: linkId } = entry;
    const nowMs = clock.nowMs();
    const permitId = randomText(PERMIT_ID_LENGTH);
    const outcome = await metadataIndex.call(bucket.name, 'beginShareDownload', {
      bucket,
      request: {
        linkId,
        labelId,
        downloadId: downloadIdOf(part, nowMs),
        sizeBytes,
        permitId,
        offsetBytes,
        lengthBytes,
      },
      bytesMax: bytesMaxOf(link),
      nowMs,
      untilMs: nowMs + LINK_PERMIT_MS,
    });
    if (outcome.kind !== 'permitted') return outcome;

    let reportedAtMs = nowMs;
    let isSettled = false;
    return {
      progress(sentBytes) {
        const atMs = clock.nowMs();
        if (isSettled || atMs - reportedAtMs < LINK_PERMIT_RENEW_MS) return;
        reportedAtMs = atMs;
        background.run('renew-share-permit', () =>
          metadataIndex.call(bucket.name, 'renewShareDownloads', {
            bucket,
            permits: [{ linkId, permitId, sentBytes }],
            untilMs: atMs + LINK_PERMIT_MS,
          }),
        );
      },
      async settle(sentBytes) {
        if (isSettled) return null;
        isSettled = true;
        return metadataIndex.call(bucket.name, 'settleShareDownload', {
          bucket,
          linkId,
          progress: { permitId, sentBytes },
          nowMs: clock.nowMs(),
        });
      },
    };
  };
}

/** The failure of a response whose link was revoked while it ran. */
export const cutByRevoking = (): StorageError =>
  new StorageError('AccessDenied', { detail: 'The link was revoked.' });
