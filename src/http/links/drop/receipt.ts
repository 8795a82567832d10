// What a sender has sent, as JSON and for the page: names, sizes and digests of his
// own files, and how far the others are.
import type { DropFile, DropSender } from '../../../domain/links/drop-link.ts';
import type { DropCall } from './drop-request.ts';

/** Files that one receipt lists; a sender with more gets the rest by `after`. */
export const RECEIPT_FILES_MAX = 1000;

export type Receipt = {
  readonly files: readonly DropFile[];
  /** Give it as `after` to go on; null: these are all. */
  readonly next: string | null;
};

/** Files of the sender alone. Cost: one query. */
export async function readReceipt(
  { opened: { bucket, link } }: DropCall,
  sender: DropSender,
  after: string,
): Promise<Receipt> {
  const files: readonly DropFile[] = await bucket.call('listDropFiles', {
    ...{ linkId: link.id, senderId: sender.id, after },
    limit: RECEIPT_FILES_MAX,
  });
  const isFull = files.length === RECEIPT_FILES_MAX;
  return { files, next: isFull ? (files.at(-1)?.id ?? null) : null };
}

/** One file as JSON. Neither key nor bucket: the sender is blind. */
export function showFile(file: DropFile, basePath: string) {
  const { id, path, contentType, lengthBytes, offsetBytes, finishedAtMs, sha256 } = file;
  const isFinished = finishedAtMs !== null;
  return {
    name: path,
    type: contentType,
    size: lengthBytes,
    received: offsetBytes,
    isComplete: isFinished,
    sha256,
    receivedAt: isFinished ? new Date(finishedAtMs).toISOString() : null,
    expiresAt: isFinished ? null : new Date(file.expiresAtMs).toISOString(),
    href: `${basePath}/files/${id}`,
  };
}
