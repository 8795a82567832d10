// The cells of a row: box, name with its icon, who reads, size, date, menu. What is not
// loaded has lines of the same shape. A step of the wheel makes some ten rows in a frame, so a row
// is few elements: its pieces are plain functions, not components; the box and the dots of the
// menu are drawn by style; what a press does is said once for all rows, in row-events.ts.
import type { ComponentChildren, VNode } from 'preact';
import { href, objectPath } from '../../../app/router.ts';
import { bytes, bytesParts, exactCount, time } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { ReadBy, Skeleton } from '../../../ui/small.tsx';
import { dropOn } from '../drag-rows.ts';
import type { ColumnId } from '../layout.ts';
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

export function rowCells(entry: Entry | undefined, look: RowLook): VNode {
  if (entry === undefined) return skeletonCells(look.columns);
  return (
    <>
      {pickCell()}
      {nameCell(entry, look)}
      {look.isPhone ? null : look.columns.map((column) => CELLS[column](entry, look))}
      <span role="gridcell" class="more-cell">
        {moreButton(entry, look)}
      </span>
    </>
  );
}

/** The box is drawn by style alone: readers hear aria-selected of the row. */
export const pickCell = (): VNode => <span role="gridcell" class="pick" />;

export const moreButton = (entry: Entry, look: RowLook): VNode => (
  <button
    type="button"
    class="button icon-only more"
    tabIndex={-1}
    aria-haspopup="menu"
    aria-label={t().browse.actionsFor(nameIn(look.prefix, entry))}
  />
);

const CELLS: Readonly<Record<ColumnId, (entry: Entry, look: RowLook) => VNode>> = {
  readers: (entry, look) => {
    const readers = look.readersOf(entry);
    return (
      <span key="readers" role="gridcell" class="dim wide-cell">
        {readers !== null && <ReadBy readers={readers} />}
      </span>
    );
  },
  size: (entry, look) => {
    const value = entry.kind === 'object' ? entry.size : look.sizeOf(entry.prefix)?.bytes;
    return (
      <span key="size" role="gridcell" class="number wide-cell" title={exactBytes(value)}>
        {value === undefined ? <Skeleton width={40} /> : shownBytes(value)}
      </span>
    );
  },
  modified: (entry) =>
    entry.kind === 'object' ? (
      <time key="modified" role="gridcell" class="dim wide-cell" dateTime={entry.lastModified}>
        {time(entry.lastModified, t().units)}
      </time>
    ) : (
      <span key="modified" role="gridcell" class="dim wide-cell" />
    ),
};

const exactBytes = (value: number | string | undefined): string | undefined =>
  value === undefined ? undefined : `${exactCount(value)} B`;

function shownBytes(size: number | string): ComponentChildren {
  const { value, unit } = bytesParts(size);
  return (
    <>
      {value}
      <span class="unit">{unit}</span>
    </>
  );
}

function nameCell(entry: Entry, look: RowLook): VNode {
  const isFolder = entry.kind === 'folder';
  const drop = isFolder ? dropOn(look.bucket, keyOf(entry)) : {};
  const link = nameLink(entry, look);
  return (
    <span role="gridcell" class="name" data-prefix={isFolder ? keyOf(entry) : undefined} {...drop}>
      {Picture({ bucket: look.bucket, entry, side: 64, box: 'kind' })}
      {look.isPhone ? (
        <span class="name-lines">
          {link}
          {secondLine(entry, look)}
        </span>
      ) : (
        link
      )}
    </span>
  );
}

export function nameLink(entry: Entry, look: RowLook): VNode {
  const key = keyOf(entry);
  const name = look.isDeep ? lastPart(key) : nameIn(look.prefix, entry);
  const folder = look.isDeep ? key.slice(look.prefix.length, key.length - name.length) : '';
  const shown = shownName(name);
  const isLong = shown.length > TAIL_LENGTH * 2 && folder === '' && look.match === '';
  return (
    <a
      class={isLong ? 'text middle-cut' : 'text'}
      tabIndex={-1}
      href={href(addressOf(look.bucket, entry))}
      title={shown}
      draggable
    >
      {isLong ? cutParts(shown) : nameText(name === '' ? t().browse.noName : shown, look.match)}
      {folder !== '' && <bdi class="faint in-folder">{t().browse.inFolder(shownName(folder))}</bdi>}
    </a>
  );
}

const lastPart = (key: string): string => key.slice(key.lastIndexOf('/', key.length - 2) + 1);

/** Characters that stay at the end of a name that is cut. */
const TAIL_LENGTH = 14;

/** The two parts of a long name, of which the first is cut where there is no room. */
function cutParts(name: string): readonly VNode[] {
  const tail = [...name].slice(-TAIL_LENGTH).join('');
  return [<bdi key="first">{name.slice(0, -tail.length)}</bdi>, <bdi key="tail">{tail}</bdi>];
}

function nameText(name: string, match: string): VNode {
  const at = match === '' ? -1 : name.toLocaleLowerCase().indexOf(match.toLocaleLowerCase());
  if (at === -1) {
    if (name.length <= TAIL_LENGTH * 2) return <bdi class="cut">{name}</bdi>;
    return <span class="middle-cut">{cutParts(name)}</span>;
  }
  return (
    <bdi class="cut">
      {name.slice(0, at)}
      <mark>{name.slice(at, at + match.length)}</mark>
      {name.slice(at + match.length)}
    </bdi>
  );
}

/** What stands below the name on phones: size, count, date. */
function secondLine(entry: Entry, look: RowLook): VNode {
  const units = t().units;
  const texts: string[] = [];
  if (entry.kind === 'object') {
    texts.push(bytes(entry.size), time(entry.lastModified, units));
  } else {
    const size = look.sizeOf(entry.prefix);
    if (size !== null) {
      texts.push(bytes(size.bytes), units.objects(size.objects, exactCount(size.objects)));
    }
  }
  return (
    <span class="second-line">
      {look.readersOf(entry) !== null && <i class="flag-dot" />}
      {texts.join(' · ')}
    </span>
  );
}

const skeletonCells = (columns: readonly ColumnId[]): VNode => (
  <>
    {pickCell()}
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
