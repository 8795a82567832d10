// How a share link counts what it sends: with limits each response takes a permit
// and is settled by what was really sent; without, it is summed in memory. Called
// for files by delivery (ReadInvitation), for ZIPs by share-zip.ts.
import type { Core } from '../../../core/core.ts';
import type { ShareCounter, ShareVisitor } from '../../../core/links/share/share-counts.ts';
import {
  cutByEndedPermit,
  cutByRevoking,
  isRefusal,
  type SharePermit,
  type TakeSharePermit,
} from '../../../core/links/share/take-permit.ts';
import { isLimited, type ShareState, stateByTime } from '../../../domain/links/share-links.ts';
import type { ShareSettlement } from '../../../domain/links/share-records.ts';
import { type ByteChunks, ChunkStream, chunksOf } from '../../../ports/chunk-stream.ts';
import type { SentBody, TakenPlace } from '../../delivery/object-read.ts';
import type { HttpRequest } from '../../request.ts';
import { findShare, type OpenShare } from './open-share.ts';

/** A link gives nothing now; answer-share.ts shows it. */
export class ShareClosed extends Error {
  override readonly name = 'ShareClosed';
  /** Null: all places are taken for the moment. */
  readonly state: ShareState | null;

  constructor(state: ShareState | null) {
    super('The link is closed.');
    this.state = state;
  }
}

/** What is about to be sent of which content. */
export type SentPart = {
  readonly contentId: string;
  readonly sizeBytes: number;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
};

export type SharePlaces = {
  /** A place for one response. ShareClosed. */
  take(
    request: HttpRequest,
    open: OpenShare,
    part: SentPart,
    visitor: ShareVisitor,
  ): Promise<TakenPlace>;
};

export type SharePlacesParts = {
  readonly takePermit: TakeSharePermit;
  readonly counter: ShareCounter;
  /** Called when a download of a limited link was settled. */
  readonly onSettled: (open: OpenShare, settlement: ShareSettlement) => void;
};

/** Bytes of a body in memory that are handed on at a time where its sending is watched. */
const PIECE_BYTES = 256 * 1024;

export function createSharePlaces(core: Core, parts: SharePlacesParts): SharePlaces {
  const { takePermit, counter, onSettled } = parts;
  const { background, clock } = core.ports;

  return {
    async take(request, open, part, visitor) {
      const { entry, link, label } = open;
      const labelId = label?.id ?? null;
      const permit = isLimited(link) ? await permitFor(request, open, part) : null;
      const isFirst = part.offsetBytes === 0;
      if (isFirst) counter.count(entry, labelId, { started: 1 }, visitor);
      let isOver = false;

      function finish(sentBytes: number): void {
        if (isOver) return;
        isOver = true;
        if (permit !== null) {
          background.run('settle-share-download', () => settle(permit, sentBytes));
          return;
        }
        const isWhole = sentBytes >= part.lengthBytes;
        const isLast = part.offsetBytes + part.lengthBytes >= part.sizeBytes;
        counter.count(
          entry,
          labelId,
          { bytes: sentBytes, completed: isWhole && isLast ? 1 : 0, aborted: isWhole ? 0 : 1 },
          null,
        );
      }

      async function settle(taken: SharePermit, sentBytes: number): Promise<void> {
        const settled = await taken.settle(sentBytes);
        const completed = settled?.completed ?? false;
        const aborted = sentBytes < part.lengthBytes ? 1 : 0;
        const counts = { bytes: sentBytes, completed: completed ? 1 : 0, aborted };
        counter.count(entry, labelId, counts, null);
        if (settled !== null) onSettled(open, settled);
      }

      return {
        watch(body) {
          if (body === null) {
            finish(0);
            return null;
          }
          const isWatched = permit !== null || link.cutsRunning;
          if (!isWatched && !(body instanceof ChunkStream)) {
            finish(part.lengthBytes);
            return body;
          }
          permit?.keep();
          return watchBody(request, body, part, {
            progress: (sentBytes) => permit?.progress(sentBytes),
            finish,
            isGone: () => permit?.isGone() ?? false,
            isCut: link.cutsRunning ? createCutLook(() => isRevokedNow(open)) : () => false,
          });
        },
        release: () => finish(0),
      };
    },
  };

  async function permitFor(request: HttpRequest, open: OpenShare, part: SentPart) {
    const { entry, link, label } = open;
    const outcome = await takePermit({
      entry,
      labelId: label?.id ?? null,
      link,
      ...part,
      remoteAddress: request.remoteAddress,
      userAgent: request.header('user-agent'),
    });
    if (!isRefusal(outcome)) return outcome;
    throw new ShareClosed(outcome.kind === 'busy' ? null : outcome.state);
  }

  /** Whether the link was revoked meanwhile, by what memory knows or the index says. */
  async function isRevokedNow({ entry, name }: OpenShare): Promise<boolean> {
    const share = await findShare(core, entry, name);
    if (share === null || stateByTime(share.link, clock.nowMs()) === 'revoked') return true;
    return share.label !== null && share.label.revokedAtMs !== null;
  }
}

type Watching = {
  readonly progress: (sentBytes: number) => void;
  readonly finish: (sentBytes: number) => void;
  /** Whether the link has given its place to others. */
  readonly isGone: () => boolean | Promise<boolean>;
  /** Whether it was revoked, as far as is known. */
  readonly isCut: () => boolean;
};

/**
 * Makes a look at the link for each chunk that holds none of them up: what it finds
 * out counts from the next chunk on. A look that fails says nothing, and while one
 * runs there is no other.
 */
function createCutLook(look: () => Promise<boolean>): () => boolean {
  let isCut = false;
  let isLooking = false;
  return () => {
    if (isCut || isLooking) return isCut;
    isLooking = true;
    look()
      .then((isRevoked) => {
        isCut = isRevoked;
      })
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
    return false;
  };
}

/**
 * Counts a body as it leaves. Where the platform knows what the connection took,
 * that counts; else what was read of the body.
 */
function watchBody(
  request: HttpRequest,
  body: NonNullable<SentBody['body']>,
  { lengthBytes }: SentPart,
  { progress, finish, isGone, isCut }: Watching,
): ChunkStream {
  const chunks = body instanceof Uint8Array ? piecesOf(body) : chunksOf(body);
  let readBytes = 0;
  let isReported = false;
  request.onSent(({ bodyBytes, isWhole }) => {
    if (bodyBytes === null) return;
    isReported = true;
    const taken = Math.min(bodyBytes, readBytes);
    finish(isWhole === false ? Math.min(taken, lengthBytes - 1) : taken);
  });
  const platformReports = request.whenGone !== undefined;
  const end = (): void => {
    if (!platformReports || isReported) finish(readBytes);
  };
  request.whenCut?.(() => {
    end();
    chunks.close();
  });

  return new ChunkStream({
    async next(wantedBytes) {
      try {
        if (isCut()) throw cutByRevoking();
        if (await isGone()) throw cutByEndedPermit();
        const chunk = await chunks.next(wantedBytes);
        if (chunk === null) end();
        else {
          readBytes += chunk.bytes.length;
          progress(readBytes);
        }
        return chunk;
      } catch (error) {
        end();
        chunks.close();
        throw error;
      }
    },
    close() {
      end();
      chunks.close();
    },
  });
}

/** Bytes in memory, in pieces. */
function piecesOf(bytes: Uint8Array): ByteChunks {
  let at = 0;
  return {
    async next() {
      if (at >= bytes.length) return null;
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      at += piece.length;
      return { bytes: piece, isBorrowed: false };
    },
    close() {
      at = bytes.length;
    },
  };
}
