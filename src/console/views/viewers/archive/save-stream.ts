// Saves an entry of an archive as a file: piece by piece where the browser can write
// files, else through memory.
import { QuaysideError } from '../../../api/client.ts';
import { isGivenUp } from '../../../api/describe-error.ts';
import { bytes } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import type { Member } from './members.tsx';

/** Entries that pass through memory, bytes. */
const IN_MEMORY_MAX_BYTES = 256_000_000;

type FilePicker = (options: { suggestedName: string }) => Promise<{
  createWritable(): Promise<WritableStream<Uint8Array>>;
}>;

export async function saveStream(member: Member): Promise<void> {
  const name = member.path.slice(member.path.lastIndexOf('/') + 1);
  const pick = (window as { showSaveFilePicker?: FilePicker }).showSaveFilePicker;
  const { signal } = new AbortController();
  if (member.sizeBytes > IN_MEMORY_MAX_BYTES && pick !== undefined) {
    const file = await pick({ suggestedName: name }).catch(orNothing);
    if (file !== null) await bytesOf(member, signal).pipeTo(await file.createWritable());
    return;
  }
  if (member.sizeBytes > IN_MEMORY_MAX_BYTES) {
    const limit = bytes(IN_MEMORY_MAX_BYTES);
    throw new QuaysideError('EntryTooLarge', t().viewers.archive.saveTooLarge(limit));
  }
  const blob = await new Response(bytesOf(member, signal) as ReadableStream<BufferSource>).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKED_AFTER_MS);
}

function orNothing(error: unknown): null {
  if (isGivenUp(error)) return null;
  throw error;
}

/** The bytes of an entry; an error where more come out than the archive says. */
export function bytesOf(member: Member, signal: AbortSignal): ReadableStream<Uint8Array> {
  let left = member.sizeBytes;
  const check = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, stream) {
      left -= piece.length;
      if (left < 0) stream.error(new QuaysideError('EntryTooLarge', t().viewers.archive.bomb));
      else stream.enqueue(piece);
    },
  });
  return member.open(signal).pipeThrough(check);
}

/** A browser has taken the bytes of a saved blob by then, milliseconds. */
const REVOKED_AFTER_MS = 60_000;
