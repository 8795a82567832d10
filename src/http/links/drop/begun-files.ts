// Files that senders begin and do not bring to their end, counted by source and by
// sender, and bodies of which nothing stays. A file takes two commits, to begin and to
// be removed, a body a blob: whoever does so all the time must stop for a while. Called
// by tus.ts and drop-form.ts.
import { type AnnouncedFile, beginFile } from '../../../core/links/drop/begin-file.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { DropFile, DropSender } from '../../../domain/links/drop-link.ts';
import { defaultEncryptionOf } from '../../s3/headers/encryption-headers.ts';
import { type DropCall, requireOpen, requireUnderCaps, sourceOf } from './drop-request.ts';

/**
 * Begins a file, where the link is open and few others are begun. TooManyRequests, and
 * those of `beginFile`. A refusal changes nothing and asks the index for nothing.
 */
export async function beginCounted(
  call: DropCall,
  sender: DropSender,
  announced: AnnouncedFile,
): Promise<DropFile> {
  const { core, opened, begun } = call;
  requireOpen(call);
  const nowMs = core.ports.clock.nowMs();
  const source = sourceOf(call);
  const waitSeconds = Math.max(
    begun.bySource.waitSeconds(source, nowMs),
    begun.bySender.waitSeconds(sender.id, nowMs),
  );
  if (waitSeconds > 0) {
    throw new StorageError('TooManyRequests', {
      detail: 'Too many files were begun and not ended. Send these, or come again later.',
      fields: { RetryAfterSeconds: `${waitSeconds}` },
    });
  }

  // Counted before they are begun: many requests at once are no way around it.
  begun.bySource.count(source, nowMs);
  begun.bySender.count(sender.id, nowMs);
  try {
    await requireUnderCaps(call, announced.lengthBytes);
    const { encryption } = opened.bucket.record().settings;
    return await beginFile(core, opened, sender, announced, defaultEncryptionOf(encryption));
  } catch (error) {
    noteEnded(call, sender.id);
    throw error;
  }
}

/**
 * Receives the bytes of a request; those of which nothing stays are counted.
 * TooManyRequests before anything is read where too much was wasted.
 */
export async function receiveCounted(
  call: DropCall,
  file: DropFile,
  work: () => Promise<DropFile>,
): Promise<DropFile> {
  const { wasted, core } = call;
  const source = sourceOf(call);
  const nowMs = core.ports.clock.nowMs();
  // Counted before: what many requests waste at once is bounded, too.
  wasted.take(source, nowMs);
  const received = await work();
  if (received.offsetBytes > file.offsetBytes) wasted.uncount(source, nowMs);
  return received;
}

/** Notes that a file was brought to its end, or not even begun: it counts no longer. */
export function noteEnded(call: DropCall, senderId: string): void {
  const nowMs = call.core.ports.clock.nowMs();
  call.begun.bySource.uncount(sourceOf(call), nowMs);
  call.begun.bySender.uncount(senderId, nowMs);
}
