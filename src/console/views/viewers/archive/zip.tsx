// Inside a ZIP: its directory is at the end, and is all that is read; an entry is
// read by its own range when it is opened.
import { QuaysideError } from '../../../api/client.ts';
import { t } from '../../../i18n/i18n.ts';
import { Failure } from '../../../ui/failure.tsx';
import type { ByteSource } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';
import { type Member, Members } from './members.tsx';
import { openZipEntry, readZip } from './zip-index.ts';

/** Entries that are listed at most. */
const ENTRIES_MAX = 50_000;
/** Longest directory that is read, bytes: that of a ZIP with about 300,000 entries. */
const READ_MAX_BYTES = 32_000_000;

/** The source, of which no more is read at once. */
const bounded = (source: ByteSource): ByteSource => ({
  sizeBytes: source.sizeBytes,
  async read(offsetBytes, lengthBytes, signal) {
    if (lengthBytes > READ_MAX_BYTES) {
      throw new QuaysideError('ArchiveTooLarge', t().viewers.archive.directoryTooLarge);
    }
    return source.read(offsetBytes, lengthBytes, signal);
  },
});

async function readMembers(source: ByteSource, signal: AbortSignal) {
  const { entries, isWhole } = await readZip(bounded(source), ENTRIES_MAX, signal);
  const members = entries.map(
    (entry): Member => ({
      ...entry,
      open: (signal) => openZipEntry(source, entry, signal),
    }),
  );
  return { members, isWhole };
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

/** What is wrong with a broken file, as an error of the console. */
function describe(error: unknown): unknown {
  if (error instanceof QuaysideError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new QuaysideError('DamagedArchive', `${t().viewers.archive.damaged}: ${why}`);
}
