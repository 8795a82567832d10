// Inside a ZIP: its directory is at the end, and is all that is read; an entry is
// read by its own range when it is opened.
import { configure, type Entry, Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js';
import { QuaysideError } from '../../../api/client.ts';
import { t } from '../../../i18n/i18n.ts';
import { Failure } from '../../../ui/failure.tsx';
import type { ByteSource } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';
import { type Member, Members } from './members.tsx';

// The page's policy allows no workers out of blobs; the browser inflates by itself.
configure({ useWebWorkers: false, useCompressionStream: true });

/** Entries that are listed at most. */
const ENTRIES_MAX = 50_000;
/** Longest directory that is read, bytes: that of a ZIP with about 300,000 entries. */
const READ_MAX_BYTES = 32_000_000;

/** Ranges of an object, as zip.js asks for them. */
class SourceReader extends Reader<ByteSource> {
  readonly #source: ByteSource;
  readonly #signal: AbortSignal;

  constructor(source: ByteSource, signal: AbortSignal) {
    super(source);
    this.#source = source;
    this.#signal = signal;
    this.size = source.sizeBytes;
  }

  override readUint8Array(index: number, length: number): Promise<Uint8Array> {
    if (length > READ_MAX_BYTES) {
      throw new QuaysideError('ArchiveTooLarge', t().viewers.archive.directoryTooLarge);
    }
    return this.#source.read(index, length, this.#signal);
  }
}

async function readMembers(source: ByteSource, signal: AbortSignal) {
  const reader = new ZipReader(new SourceReader(source, signal));
  const members: Member[] = [];
  for await (const entry of reader.getEntriesGenerator()) {
    if (members.length >= ENTRIES_MAX) return { members, isWhole: false };
    members.push(memberOf(entry, source));
  }
  return { members, isWhole: true };
}

function memberOf(entry: Entry, source: ByteSource): Member {
  const { filename, uncompressedSize, directory, encrypted, lastModDate } = entry;
  const modifiedMs = lastModDate?.getTime() ?? Number.NaN;
  return {
    path: filename,
    sizeBytes: uncompressedSize,
    modifiedMs: Number.isNaN(modifiedMs) ? null : modifiedMs,
    isFolder: directory,
    isEncrypted: encrypted,
    open: (signal) => openEntry(filename, source, signal),
  };
}

/** Streams one entry; zip.js ties readers to the signal, so each has its own. */
function openEntry(
  filename: string,
  source: ByteSource,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const write = async () => {
    const reader = new ZipReader(new SourceReader(source, signal));
    for await (const entry of reader.getEntriesGenerator()) {
      if (entry.filename !== filename || entry.directory) continue;
      await entry.getData(writable, { signal, useWebWorkers: false });
      return;
    }
    throw new QuaysideError('NoSuchEntry', t().viewers.archive.damaged);
  };
  write().catch((error: unknown) => writable.abort(error).catch(() => {}));
  return readable;
}

export default function ZipView({ shown, compact }: ViewProps) {
  const listing = useLoaded((signal) => readMembers(shown.source, signal), [shown.name]);
  if (listing.value === null) {
    const error = listing.error === null ? null : describe(listing.error);
    return (
      <ViewerFrame compact={compact}>
        {error !== null && <Failure error={error} onRetry={listing.reload} />}
      </ViewerFrame>
    );
  }
  return <Members name={shown.name} compact={compact} {...listing.value} />;
}

/** What zip.js says of a broken file, as an error of the console. */
function describe(error: unknown): unknown {
  if (error instanceof QuaysideError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new QuaysideError('DamagedArchive', `${t().viewers.archive.damaged}: ${why}`);
}
