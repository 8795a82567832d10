// Takes a permit for one response of a limited share link. While the response is open
// the permit is prolonged by a timer, whether its reader takes anything or not; at
// its end it is settled by what was really sent. Called by http/links/share.
//
// Race: a reader stalls until its permit has ended, another takes its place, and both
// get all bytes. Guard: who holds a permit asks before that time, and sends nothing
// more when the index has it no longer.
import { createKeyedHash } from '../../../crypto/hash.ts';
import { deriveKey } from '../../../crypto/key-wrap.ts';
import { randomText } from '../../../crypto/random-text.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { LabelId, LinkEntry, LinkId } from '../../../domain/links/link-ids.ts';
import { LINK_PERMIT_MS, LINK_PERMIT_RENEW_MS } from '../../../domain/links/link-limits.ts';
import type { ShareLink, ShareState } from '../../../domain/links/share-links.ts';
import type { ShareSettlement } from '../../../domain/links/share-records.ts';
import type { BucketAddress } from '../../../domain/nouns.ts';
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
  /** From now on it is prolonged by time, until it is settled. */
  keep(): void;
  /** Notes progress, and reports it when the last report is half a minute old. No waiting. */
  progress(sentBytes: number): void;
  /**
   * Whether the index has ended it, so that nothing more may be sent. It asks, and
   * waits, only where no report has come through for long; rejects where it can't.
   */
  isGone(): boolean | Promise<boolean>;
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
    const { entry, labelId, sizeBytes, offsetBytes, lengthBytes } = part;
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
      nowMs,
      untilMs: nowMs + LINK_PERMIT_MS,
    });
    if (outcome.kind !== 'permitted') return outcome;

    return createPermit({ background, clock, metadataIndex }, { bucket, linkId, permitId, nowMs });
  };
}

/** The permit of that id, which was taken at `nowMs`. */
function createPermit(
  {
    background,
    clock,
    metadataIndex,
  }: Pick<Core['ports'], 'background' | 'clock' | 'metadataIndex'>,
  taken: {
    readonly bucket: BucketAddress;
    readonly linkId: LinkId;
    readonly permitId: string;
    readonly nowMs: number;
  },
): SharePermit {
  const { bucket, linkId, permitId } = taken;
  let sentSoFar = 0;
  let reportedAtMs = taken.nowMs;
  /** When the index last had it, as far as it said. */
  let confirmedAtMs = taken.nowMs;
  let isEnded = false;
  let isSettled = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  let renewing: Promise<void> | null = null;

  async function prolong(): Promise<void> {
    const atMs = clock.nowMs();
    reportedAtMs = atMs;
    const gone = await metadataIndex.call(bucket.name, 'renewShareDownloads', {
      bucket,
      permits: [{ linkId, permitId, sentBytes: sentSoFar }],
      untilMs: atMs + LINK_PERMIT_MS,
    });
    if (gone.length === 0) confirmedAtMs = atMs;
    else isEnded = true;
  }

  function renew(): Promise<void> {
    renewing ??= prolong().finally(() => {
      renewing = null;
    });
    return renewing;
  }

  function renewInTime(): void {
    if (isSettled || isEnded || clock.nowMs() - reportedAtMs < LINK_PERMIT_RENEW_MS) return;
    background.run('renew-share-permit', renew);
  }

  return {
    keep() {
      timer ??= setInterval(renewInTime, LINK_PERMIT_RENEW_MS);
    },
    progress(sentBytes) {
      sentSoFar = sentBytes;
      renewInTime();
    },
    isGone() {
      // One interval before its end: other processes' clocks may be ahead.
      const isSure = clock.nowMs() - confirmedAtMs < LINK_PERMIT_MS - LINK_PERMIT_RENEW_MS;
      return isEnded || isSure ? isEnded : renew().then(() => isEnded);
    },
    async settle(sentBytes) {
      clearInterval(timer);
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
}

/** The failure of a response whose link was revoked while it ran. */
export const cutByRevoking = (): StorageError =>
  new StorageError('AccessDenied', { detail: 'The link was revoked.' });

/** The failure of a response whose place the link has given to others. */
export const cutByEndedPermit = (): StorageError =>
  new StorageError('RequestTimeout', { detail: 'The place of this download was given to others.' });
