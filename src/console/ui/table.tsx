// A table of some hundred rows at most, with one row in the tab order: ↑ ↓ move,
// Enter opens, heads sort. Longer lists are views/browse's virtual grid.
import { ArrowDown, ArrowUp } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { rowStep } from './row-step.ts';

export type Column<Row> = {
  readonly id: string;
  readonly label: ComponentChildren;
  /** A track of CSS grid: `minmax(120px, 1fr)`, `96px`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** Not shown on phones. */
  readonly isWide?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  /** Sorts by it: negative when the first comes before the second. */
  readonly compare?: (a: Row, b: Row) => number;
};

export type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** `-size`: by the column size, downwards. */
  readonly sort?: string | null;
  readonly onSort?: (sort: string) => void;
  readonly onOpen?: (row: Row) => void;
  readonly onMenu?: (row: Row, event: Event) => void;
};

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, keyOf, sort = null, onSort } = props;
  const ref = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const rows = sortRows(props.rows, columns, sort);

  function move(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget && event.key === 'Enter') return;
    const index = rowStep(event.key, at, rows.length);
    if (index === null) return;
    event.preventDefault();
    setAt(index);
    ref.current?.querySelectorAll<HTMLElement>('[data-row]')[index]?.focus();
  }

  const tracks = columns.map(({ width }) => width).join(' ');
  const onPhones = columns.filter(({ isWide = false }) => !isWide);
  const phoneTracks = onPhones.map(({ width }) => width).join(' ');
  return (
    <div
      ref={ref}
      class="grid table"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      style={{ '--tracks': tracks, '--phone-tracks': phoneTracks }}
      onKeyDown={move}
    >
      <div class="row row-head" role="row">
        {columns.map((column) => (
          <Head key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
      {rows.map((row, index) => (
        <div
          key={keyOf(row)}
          data-row={index}
          class="row"
          role="row"
          aria-rowindex={index + 2}
          tabIndex={index === Math.min(at, rows.length - 1) ? 0 : -1}
          onFocus={() => setAt(index)}
          onClick={(event) => {
            if ((event.target as Element).closest('a, button, input') === null) props.onOpen?.(row);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && event.target === event.currentTarget) props.onOpen?.(row);
          }}
          onContextMenu={(event) => props.onMenu?.(row, event)}
        >
          {columns.map((column) => (
            <span key={column.id} role="gridcell" class={cellClass(column)}>
              {column.cell(row)}
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}

const cellClass = <Row,>({ isNumber = false, isWide = false }: Column<Row>): string =>
  [isNumber && 'number', isWide && 'wide-cell'].filter(Boolean).join(' ');

type HeadProps<Row> = {
  readonly column: Column<Row>;
  readonly sort: string | null;
  readonly onSort: ((sort: string) => void) | undefined;
};

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const isDown = sort === `-${column.id}`;
  const isSorted = isDown || sort === column.id;
  const direction = isSorted ? (isDown ? 'descending' : 'ascending') : undefined;
  const canSort = column.compare !== undefined && onSort !== undefined;
  return (
    <span role="columnheader" class={cellClass(column)} aria-sort={direction}>
      {canSort ? (
        <button
          type="button"
          class="sort"
          onClick={() => onSort(isSorted && !isDown ? `-${column.id}` : column.id)}
        >
          {column.label}
          {isSorted && <Icon of={isDown ? ArrowDown : ArrowUp} />}
        </button>
      ) : (
        column.label
      )}
    </span>
  );
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: string | null,
): readonly Row[] {
  const isDown = sort?.startsWith('-') ?? false;
  const id = isDown ? sort?.slice(1) : sort;
  const compare = columns.find((column) => column.id === id)?.compare;
  if (compare === undefined) return rows;
  const sorted = rows.toSorted(compare);
  return isDown ? sorted.reverse() : sorted;
}
