// Takes the bytes of a file in pieces. Each piece is a blob and a commit of its own,
// so what came before a connection broke is there when the sender comes back. A lie
// about length or type ends the file, and nothing of it stays.
import { createResumableSha256, type ResumableSha256 } from '../../../crypto/resumable-sha256.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { DropFile } from '../../../domain/links/drop-link.ts';
import {
  DROP_PIECE_BYTES,
  DROP_PIECE_MIN_BYTES,
  DROP_PIECES_MAX,
} from '../../../domain/links/link-limits.ts';
import { SNIFFED_BYTES } from '../../../domain/links/sniff-type.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import type { Upload, UploadedPart } from '../../../ports/index-calls/upload-calls.ts';
import type { Core } from '../../core.ts';
import type { Envelope } from '../../encryption/envelope.ts';
import { unwrapUploadKey } from '../../multipart/upload-part.ts';
import { type BodyExpectation, NO_EXPECTATION } from '../../objects/body-expectation.ts';
import { commitOrDiscard, discard } from '../../objects/commit-or-discard.ts';
import { identityOfBlob, writeBody } from '../../objects/write-body.ts';
import { cutSource } from './cut-source.ts';
import type { OpenedDropLink } from './open-drop-link.ts';
import { requireHonestType } from './require-type.ts';
import { watchLink } from './watch-link.ts';

/** Bytes that a request brings for a file. */
export type SentBytes = {
  readonly body: ByteSource;
  /** The digest of exactly these bytes; null: they may come in pieces. */
  readonly expectation: BodyExpectation | null;
  /** Whether all of the file comes now: then its last piece may be of any size. */
  readonly isWhole?: boolean;
};

const NO_BYTES: ByteSource = { lengthBytes: 0, pump: async () => {} };

/** After these what came so far counts: the connection broke, or nothing came for long. */
const BREAKS: ReadonlySet<string> = new Set(['IncompleteBody', 'RequestTimeout']);
const isBreak = (error: unknown) => error instanceof StorageError && BREAKS.has(error.code);

/** Least bytes of a piece that is not the last of a file of that length. */
export function leastPieceBytes(lengthBytes: number): number {
  return Math.max(DROP_PIECE_MIN_BYTES, Math.ceil(lengthBytes / DROP_PIECES_MAX));
}

/**
 * Stores the bytes from `file.offsetBytes` on, and gives the file as it is then.
 * EntityTooLarge and AccessDenied (type, closed) end the file; BadDigest leaves it
 * as it was; NoSuchResource, ConditionalRequestConflict (another request was
 * first), NoSuchUpload, and those of writeBody.
 */
export async function receiveBytes(
  core: Core,
  opened: OpenedDropLink,
  file: DropFile,
  { body, expectation, isWhole = false }: SentBytes,
): Promise<DropFile> {
  const { bucket } = opened;
  const { key, uploadId } = file;
  const upload: Upload = await bucket.call('getUpload', { key, uploadId });
  const envelope = await unwrapUploadKey(core, upload, null);
  const watched = watchedBody(opened, file, body);
  const leastBytes = isWhole ? 0 : leastPieceBytes(file.lengthBytes);
  const pieceBytes =
    expectation === null ? Math.max(DROP_PIECE_BYTES, 2 * leastBytes) : Number.POSITIVE_INFINITY;
  const cut = cutSource(
    watched.source,
    pieceBytes,
    (error) => expectation === null && !isWhole && isBreak(error),
  );

  const target = { core, opened, upload, envelope, expectation: expectation ?? NO_EXPECTATION };
  const digest = createResumableSha256(file.progress.sha256State);
  let received = file;
  const unwatch = watchLink(core, opened, (error) => cut.stop(error));
  try {
    if (file.lengthBytes === 0 && file.pieces === 0)
      return (await storePiece(target, file, NO_BYTES, digest, watched)) ?? file;
    for (;;) {
      const piece = await cut.next();
      if (piece === null) return received;
      const next = await storePiece(target, received, piece, digest, watched, leastBytes);
      if (next === null) return received;
      received = next;
    }
  } catch (error) {
    cut.stop(error);
    if (isLie(error)) await endFile(core, opened, file);
    throw error;
  } finally {
    unwatch();
  }
}

/** Whether a sender has said what is not so; its file ends. */
const isLie = (error: unknown): boolean =>
  hasCode(error, 'EntityTooLarge') ||
  (hasCode(error, 'AccessDenied') && reasonOf(error) === 'type');

const reasonOf = (error: unknown): string | null =>
  error instanceof StorageError ? (error.fields?.Reason ?? null) : null;

/** Removes an unfinished file and all that came of it; nothing where it is gone. */
export async function endFile(
  core: Core,
  { bucket }: OpenedDropLink,
  file: DropFile,
): Promise<void> {
  const { linkId, id: fileId } = file;
  const nowMs = core.ports.clock.nowMs();
  await bucket.call('removeDropFile', { linkId, fileId, nowMs }).catch((error: unknown) => {
    if (!hasCode(error, 'NoSuchResource')) throw error;
  });
}

type Target = {
  readonly core: Core;
  readonly opened: OpenedDropLink;
  readonly upload: Upload;
  readonly envelope: Envelope | null;
  readonly expectation: BodyExpectation;
};

/** What a body has shown so far of its file's first bytes. */
type Watched = { readonly source: ByteSource; head(): Uint8Array };

/** Null: so few bytes came before the connection broke that they are not kept. */
async function storePiece(
  { core, opened, upload, envelope, expectation }: Target,
  file: DropFile,
  piece: ByteSource,
  digest: ResumableSha256,
  watched: Watched,
  leastBytes = 0,
): Promise<DropFile | null> {
  const { bucket } = opened;
  const { key, uploadId } = file;
  const partNumber = file.pieces + 1;
  const source: ByteSource = {
    lengthBytes: piece.lengthBytes,
    pump: (onChunk) =>
      piece.pump((chunk) => {
        digest.update(chunk);
        return onChunk(chunk);
      }),
  };
  const written = await writeBody(core, bucket.record(), source, {
    expectation,
    inlineMaxBytes: 0,
    isLengthOptional: true,
    envelope,
    identity: identityOfBlob(bucket.record(), key, upload, { uploadId, partNumber }),
  });
  const { newReferences, sizeBytes } = written;
  const offsetBytes = file.offsetBytes + sizeBytes;
  if (offsetBytes < file.lengthBytes && sizeBytes < leastBytes) {
    discard(core, { newReferences });
    return null;
  }
  const nowMs = core.ports.clock.nowMs();
  const { segments } = written.body;
  const part: UploadedPart = {
    ...{ partNumber, sizeBytes, segments },
    md5: written.etag,
    lastModifiedMs: nowMs,
    checksum: null,
  };
  const progress = { sha256State: digest.state(), head: watched.head().toBase64() };
  await commitOrDiscard(core, { segments, newReferences }, () =>
    bucket.call('commitDropPiece', {
      ...{ linkId: file.linkId, fileId: file.id, part, newReferences, progress, nowMs },
      offsetBytes: file.offsetBytes,
    }),
  );
  return { ...file, offsetBytes, pieces: partNumber, progress };
}

/**
 * The body, refused where it is longer than its file was announced, and where its
 * first bytes are of a type that the link does not take.
 */
function watchedBody({ link }: OpenedDropLink, file: DropFile, body: ByteSource): Watched {
  const leftBytes = file.lengthBytes - file.offsetBytes;
  let head = Uint8Array.fromBase64(file.progress.head);
  let isProved = head.length >= SNIFFED_BYTES;
  let receivedBytes = 0;

  function prove(chunk: Uint8Array): void {
    if (isProved) return;
    const more = chunk.subarray(0, SNIFFED_BYTES - head.length);
    const longer = new Uint8Array(head.length + more.length);
    longer.set(head);
    longer.set(more, head.length);
    head = longer;
    if (head.length < SNIFFED_BYTES && receivedBytes < leftBytes) return;
    requireHonestType(link, file, head);
    isProved = true;
  }

  return {
    head: () => head,
    source: {
      lengthBytes: body.lengthBytes,
      pump: (onChunk) =>
        body.pump((chunk) => {
          receivedBytes += chunk.length;
          if (receivedBytes > leftBytes) throw tooLarge(file);
          prove(chunk);
          return onChunk(chunk);
        }),
    },
  };
}

function tooLarge({ lengthBytes }: DropFile): StorageError {
  return new StorageError('EntityTooLarge', {
    detail: 'More bytes came than were announced.',
    fields: { MaxSizeAllowed: `${lengthBytes}` },
  });
}
