// The entries of an archive as a table; one of them can be shown or saved without
// the rest of the archive.
import { Archive, ArrowLeft, Download } from 'lucide';
import { type ComponentChildren, Fragment } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { errorLine } from '../../../api/describe-error.ts';
import { bytes, count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Bytes, Empty, InlineError, Name, Time } from '../../../ui/small.tsx';
import { Table } from '../../../ui/table.tsx';
import { memorySource } from '../bytes.ts';
import { useLoaded, ViewerFrame } from '../frame.tsx';
import type { Shown } from '../shown.ts';
import { ShownViewer } from '../viewer.tsx';
import { saveStream } from './save-stream.ts';

export type Member = {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number | null;
  readonly isFolder: boolean;
  readonly isEncrypted: boolean;
  /** Its bytes, as they come out of the archive. */
  readonly open: (signal: AbortSignal) => ReadableStream<Uint8Array>;
};

/** Entries that are shown here, bytes: larger ones are saved. */
const SHOWN_MAX_BYTES = 16_000_000;
/** Rows of the table at most. */
const ROWS_MAX = 1000;

/** Saves entries; `problem` says why the last one could not be. */
function useSave() {
  const [error, setError] = useState<unknown>(null);
  const save = (member: Member) => {
    setError(null);
    saveStream(member).catch(setError);
  };
  return { save, problem: error !== null && <InlineError text={errorLine(error)} /> };
}

type MembersProps = {
  readonly name: string;
  readonly members: readonly Member[];
  readonly isWhole: boolean;
  readonly compact: boolean;
  readonly more?: ComponentChildren;
};

export function Members({ name, members, isWhole, compact, more }: MembersProps) {
  const texts = t().viewers.archive;
  const [shown, setShown] = useState<Member | null>(null);
  const [filter, setFilter] = useState('');
  const [sort, setSort] = useState<string | null>(null);
  const { save, problem } = useSave();
  if (shown !== null) return <OneMember member={shown} onBack={() => setShown(null)} />;

  const wanted = filter.toLowerCase();
  const matching = members.filter(({ path }) => path.toLowerCase().includes(wanted));
  const tools = (
    <input
      type="search"
      class="input viewer-filter"
      value={filter}
      aria-label={t().viewers.table.filter}
      placeholder={t().viewers.table.filter}
      onInput={(event) => setFilter(event.currentTarget.value)}
    />
  );
  return (
    <ViewerFrame compact={compact} tools={tools}>
      {problem}
      <div class="viewer-scroll">
        <Table
          label={texts.label(name)}
          columns={[
            {
              id: 'name',
              label: t().browse.name,
              width: 'minmax(140px, 1fr)',
              compare: (a, b) => a.path.localeCompare(b.path, undefined, { numeric: true }),
              cell: ({ path, isFolder }) =>
                isFolder ? (
                  <b>
                    <Name text={path} />
                  </b>
                ) : (
                  <Name text={path} />
                ),
            },
            {
              id: 'size',
              label: t().browse.size,
              width: '96px',
              isNumber: true,
              compare: (a, b) => a.sizeBytes - b.sizeBytes,
              cell: ({ sizeBytes, isFolder }) => (isFolder ? null : <Bytes value={sizeBytes} />),
            },
            {
              id: 'modified',
              label: t().browse.modified,
              width: '140px',
              isWide: true,
              compare: (a, b) => (a.modifiedMs ?? 0) - (b.modifiedMs ?? 0),
              cell: ({ modifiedMs }) => (modifiedMs === null ? null : <Time at={modifiedMs} />),
            },
            {
              id: 'save',
              label: '',
              width: '44px',
              cell: (member) =>
                !member.isFolder && (
                  <Button
                    icon={Download}
                    iconOnly
                    label={`${t().browse.download} ${member.path}`}
                    off={member.isEncrypted ? texts.encrypted : null}
                    onClick={() => save(member)}
                  />
                ),
            },
          ]}
          rows={matching.slice(0, ROWS_MAX)}
          keyOf={({ path }) => path}
          sort={sort}
          onSort={setSort}
          onOpen={(member) => {
            if (!member.isFolder) setShown(member);
          }}
        />
      </div>
      {!compact && (
        <div class="status-line" role="status">
          <span>
            {isWhole
              ? texts.members(count(matching.length))
              : texts.membersSoFar(count(matching.length))}
          </span>
          <Fragment>{more}</Fragment>
        </div>
      )}
    </ViewerFrame>
  );
}

type OneProps = { readonly member: Member; readonly onBack: () => void };

/** Reads a stream whole, and no further than the archive says that it is long. */
async function readAll(member: Member, signal: AbortSignal): Promise<Uint8Array> {
  const whole = new Uint8Array(member.sizeBytes);
  const reader = member.open(signal).getReader();
  let at = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return whole.subarray(0, at);
    if (at + value.length > whole.length) {
      await reader.cancel().catch(() => {});
      throw new Error(t().viewers.archive.bomb);
    }
    whole.set(value, at);
    at += value.length;
  }
}

function OneMember({ member, onBack }: OneProps) {
  const texts = t().viewers.archive;
  const back = useRef<HTMLButtonElement>(null);
  const { save, problem } = useSave();
  const isOff = member.isEncrypted || member.sizeBytes > SHOWN_MAX_BYTES;
  const read = useLoaded(
    (signal) => (isOff ? Promise.resolve(null) : readAll(member, signal)),
    [member.path],
  );
  const name = member.path.slice(member.path.lastIndexOf('/') + 1);
  const shown: Shown | null =
    read.value === null
      ? null
      : { name, contentType: null, source: memorySource(read.value), object: null };
  return (
    <div class="viewer">
      <div class="status-line">
        <Button buttonRef={back} icon={ArrowLeft} label={texts.back} autofocus onClick={onBack} />
        <Name text={member.path} />
        <span class="gap" />
        <Bytes value={member.sizeBytes} />
        {!member.isEncrypted && (
          <Button
            icon={Download}
            iconOnly
            label={t().browse.download}
            onClick={() => save(member)}
          />
        )}
      </div>
      {problem}
      {isOff && (
        <Empty
          icon={Archive}
          title={member.isEncrypted ? texts.encrypted : texts.tooLarge(bytes(member.sizeBytes))}
        />
      )}
      {read.error !== null && <Failure error={read.error} onRetry={read.reload} />}
      {shown !== null && <ShownViewer shown={shown} compact={false} />}
    </div>
  );
}
