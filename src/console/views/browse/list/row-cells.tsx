// The cells of a row: box, name with its icon, who reads, size, date, menu. What is not
// loaded has lines of the same shape.
import { Check, Ellipsis } from 'lucide';
import type { JSX } from 'preact';
import { href, objectPath } from '../../../app/router.ts';
import { exactCount, exactTime, time } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Bytes, ReadBy, Skeleton, Time } from '../../../ui/small.tsx';
import { dragRows, dropOn } from '../drag-rows.ts';
import type { ColumnId } from '../layout.ts';
import type { Selection } from '../selection.ts';
import type { FolderSize } from '../selection-model.ts';
import { shownName } from '../shown-name.ts';
import { Picture } from './picture.tsx';
import { type Entry, keyOf, nameIn } from './row-list.ts';

export type RowLook = {
  readonly bucket: string;
  readonly prefix: string;
  readonly columns: readonly ColumnId[];
  /** Shows what columns say in a second line. */
  readonly isPhone: boolean;
  /** The text that was searched: it is marked in the name. */
  readonly match: string;
  /** Shows the folder of each row: rows of a search stand at any depth. */
  readonly isDeep: boolean;
  readonly sizeOf: (prefix: string) => FolderSize | null;
  readonly readersOf: (entry: Entry) => 'everyone' | 'part' | null;
  /** What is dragged from a row: the selection, or the row alone. */
  readonly dragged: (entry: Entry) => Selection;
  readonly onOpen: (entry: Entry) => void;
  readonly onMenu: (event: Event, entry: Entry) => void;
};

/** Where a row leads: into the folder, or to the object. */
export function addressOf(bucket: string, entry: Entry): string {
  const key = keyOf(entry);
  // An object whose key ends in a slash would be taken for the folder of that name.
  if (entry.kind === 'object' && key.endsWith('/')) {
    return `/b/${encodeURIComponent(bucket)}/?key=${encodeURIComponent(key)}`;
  }
  return objectPath(bucket, key);
}

export function RowCells({ entry, look }: { entry: Entry | undefined; look: RowLook }) {
  if (entry === undefined) return <SkeletonCells columns={look.columns} />;
  return (
    <>
      <PickCell />
      <NameCell entry={entry} look={look} />
      {(look.isPhone ? [] : look.columns).map((column) => (
        <span
          key={column}
          role="gridcell"
          class={column === 'size' ? 'number wide-cell' : 'dim wide-cell'}
        >
          {CELLS[column](entry, look)}
        </span>
      ))}
      <span role="gridcell" class="more-cell">
        <MoreButton entry={entry} look={look} />
      </span>
    </>
  );
}

/** The box is drawn by style alone: readers hear aria-selected of the row. */
export function PickCell() {
  return (
    <span role="gridcell" class="pick">
      <span class="box" aria-hidden="true">
        <Icon of={Check} />
      </span>
    </span>
  );
}

export function MoreButton({ entry, look }: { entry: Entry; look: RowLook }) {
  return (
    <button
      type="button"
      class="button icon-only more"
      tabIndex={-1}
      aria-haspopup="menu"
      aria-label={t().browse.actionsFor(nameIn(look.prefix, entry))}
      onClick={(event) => look.onMenu(event, entry)}
    >
      <Icon of={Ellipsis} />
    </button>
  );
}

const CELLS: Readonly<Record<ColumnId, (entry: Entry, look: RowLook) => JSX.Element | null>> = {
  readers: (entry, look) => <ReadBy readers={look.readersOf(entry)} />,
  size: (entry, look) => <Size entry={entry} look={look} />,
  modified: (entry) => (entry.kind === 'object' ? <RowTime at={entry.lastModified} /> : null),
};

/** Shows when an object changed; the dear tooltip is made under the pointer alone. */
function RowTime({ at }: { readonly at: string }) {
  return (
    <time
      dateTime={at}
      onMouseEnter={(event) => {
        event.currentTarget.title = exactTime(at);
      }}
    >
      {time(at, t().units)}
    </time>
  );
}

function Size({ entry, look }: { entry: Entry; look: RowLook }) {
  if (entry.kind === 'object') return <Bytes value={entry.size} />;
  const size = look.sizeOf(entry.prefix);
  return size === null ? <Skeleton width={40} /> : <Bytes value={size.bytes} />;
}

function NameCell({ entry, look }: { entry: Entry; look: RowLook }) {
  const isFolder = entry.kind === 'folder';
  const drop = isFolder ? dropOn(look.bucket, keyOf(entry)) : {};
  return (
    <span role="gridcell" class="name" data-prefix={isFolder ? keyOf(entry) : undefined} {...drop}>
      <Picture bucket={look.bucket} entry={entry} side={64} box="kind" />
      <span class="name-lines">
        <NameLink entry={entry} look={look} />
        {look.isPhone && <SecondLine entry={entry} look={look} />}
      </span>
    </span>
  );
}

export function NameLink({ entry, look }: { entry: Entry; look: RowLook }) {
  const key = keyOf(entry);
  const name = look.isDeep ? lastPart(key) : nameIn(look.prefix, entry);
  const folder = look.isDeep ? key.slice(look.prefix.length, key.length - name.length) : '';
  return (
    <a
      class="text"
      tabIndex={-1}
      href={href(addressOf(look.bucket, entry))}
      title={shownName(name)}
      draggable
      onDragStart={(event) => dragRows(event, look.dragged(entry))}
      onClick={(event) => {
        const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0;
        if (!isPlain) return;
        event.preventDefault();
        look.onOpen(entry);
      }}
    >
      <ShownName name={name === '' ? t().browse.noName : shownName(name)} match={look.match} />
      {folder !== '' && <bdi class="faint in-folder">{t().browse.inFolder(shownName(folder))}</bdi>}
    </a>
  );
}

const lastPart = (key: string): string => key.slice(key.lastIndexOf('/', key.length - 2) + 1);

/** Characters that stay at the end of a name that is cut. */
const TAIL_LENGTH = 14;

function ShownName({ name, match }: { readonly name: string; readonly match: string }) {
  const at = match === '' ? -1 : name.toLocaleLowerCase().indexOf(match.toLocaleLowerCase());
  if (at !== -1) {
    return (
      <bdi class="cut">
        {name.slice(0, at)}
        <mark>{name.slice(at, at + match.length)}</mark>
        {name.slice(at + match.length)}
      </bdi>
    );
  }
  if (name.length <= TAIL_LENGTH * 2) return <bdi class="cut">{name}</bdi>;
  const tail = [...name].slice(-TAIL_LENGTH).join('');
  return (
    <span class="middle-cut">
      <bdi>{name.slice(0, -tail.length)}</bdi>
      <bdi>{tail}</bdi>
    </span>
  );
}

/** What stands below the name on phones: size, count, date. */
function SecondLine({ entry, look }: { entry: Entry; look: RowLook }) {
  const size = entry.kind === 'folder' ? look.sizeOf(entry.prefix) : null;
  return (
    <span class="second-line">
      {look.readersOf(entry) !== null && <i class="flag-dot" />}
      {entry.kind === 'folder' ? (
        size !== null && (
          <>
            <Bytes value={size.bytes} />
            {` · ${t().units.objects(size.objects, exactCount(size.objects))}`}
          </>
        )
      ) : (
        <>
          <Bytes value={entry.size} />
          {' · '}
          <Time at={entry.lastModified} />
        </>
      )}
    </span>
  );
}

function SkeletonCells({ columns }: { readonly columns: readonly ColumnId[] }) {
  return (
    <>
      <span role="gridcell" class="pick" />
      <span role="gridcell" class="name">
        <span class="kind" />
        <Skeleton width={180} />
      </span>
      {columns.map((column) => (
        <span key={column} role="gridcell" class="wide-cell">
          <Skeleton width={48} />
        </span>
      ))}
      <span role="gridcell" />
    </>
  );
}
