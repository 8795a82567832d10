// A window on many rows of cells: only those in sight are in the page. Heads sort.
import { ArrowDown, ArrowUp } from 'lucide';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../ui/icon.tsx';
import { ScrollRegion } from '../frame.tsx';

const ROW_PX = 28;
/** Rows beyond the edges that are drawn too. */
const BEYOND_ROWS = 10;
/** How near the end of what is loaded more of it is wanted, rows. */
const NEAR_END_ROWS = 40;
const WIDTH_SAMPLE_ROWS = 100;
const CELL_MIN_CH = 6;
const CELL_MAX_CH = 40;
/** Characters of a cell that are shown: the whole of it is its tooltip. */
const CELL_LENGTH_MAX = 200;
/** Browsers cap the height of elements (Firefox at about 17.9 M pixels). */
const HEIGHT_MAX_PX = 15_000_000;

type RowsProps = {
  readonly columns: readonly string[];
  readonly rows: readonly string[][];
  readonly sort: string | null;
  readonly onSort: (sort: string | null) => void;
  readonly label: string;
  readonly onNearEnd: () => void;
};

export function Rows(props: RowsProps) {
  const { columns, rows, sort, onSort, label, onNearEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const tracks = useMemo(() => tracksOf(columns, rows), [columns.length, rows.length > 0]);
  const height = Math.min(HEIGHT_MAX_PX, rows.length * ROW_PX);
  const inSight = Math.ceil(view.height / ROW_PX);
  // Where all rows are higher than an element may be, one pixel stands for more of them.
  const travel = Math.max(1, height - view.height);
  const isScaled = height === HEIGHT_MAX_PX;
  const top = isScaled
    ? Math.round((Math.min(travel, view.top) / travel) * (rows.length - inSight))
    : Math.floor(view.top / ROW_PX);
  const first = Math.max(0, top - BEYOND_ROWS);
  const last = Math.min(rows.length, top + inSight + 1 + BEYOND_ROWS);
  const offset = isScaled ? view.top - (top - first) * ROW_PX : first * ROW_PX;

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const isNearEnd = rows.length > 0 && last > rows.length - NEAR_END_ROWS;
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, rows.length]);

  return (
    <ScrollRegion
      regionRef={scroller}
      class="cells"
      label={label}
      onScroll={({ scrollTop, clientHeight }) => setView({ top: scrollTop, height: clientHeight })}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        style={{ '--tracks': tracks }}
      >
        <div class="cells-row cells-head" role="row" aria-rowindex={1}>
          <span class="cells-number" role="columnheader">
            #
          </span>
          {columns.map((name, index) => (
            <Head key={index} name={name} index={index} sort={sort} onSort={onSort} />
          ))}
        </div>
        <div class="cells-space" role="rowgroup" style={{ height: `${height}px` }}>
          <div style={{ transform: `translateY(${offset}px)` }}>
            {rows.slice(first, last).map((row, index) => (
              <Row key={first + index} row={row} at={first + index} width={columns.length} />
            ))}
          </div>
        </div>
      </div>
    </ScrollRegion>
  );
}

type RowProps = { readonly row: readonly string[]; readonly at: number; readonly width: number };

function Row({ row, at, width }: RowProps) {
  return (
    <div class="cells-row" role="row" aria-rowindex={at + 2}>
      <span class="cells-number" role="cell">
        {at + 1}
      </span>
      {Array.from({ length: width }, (_, index) => {
        const cell = row[index] ?? '';
        return (
          <span key={index} role="cell" class="cut" title={cell.length > 20 ? cell : undefined}>
            {cell.slice(0, CELL_LENGTH_MAX)}
          </span>
        );
      })}
    </div>
  );
}

type HeadProps = {
  readonly name: string;
  readonly index: number;
  readonly sort: string | null;
  readonly onSort: (sort: string | null) => void;
};

function Head({ name, index, sort, onSort }: HeadProps) {
  const isDown = sort === `-${index}`;
  const isUp = sort === `${index}`;
  const direction = isDown ? 'descending' : isUp ? 'ascending' : undefined;
  const next = isUp ? `-${index}` : isDown ? null : `${index}`;
  return (
    <span role="columnheader" aria-sort={direction}>
      <button type="button" class="sort cut" title={name} onClick={() => onSort(next)}>
        {name}
        {direction !== undefined && <Icon of={isDown ? ArrowDown : ArrowUp} small />}
      </button>
    </span>
  );
}

/** Widths by the longest of the first cells, so that they stay while more is loaded. */
function tracksOf(columns: readonly string[], rows: readonly string[][]): string {
  const sample = rows.slice(0, WIDTH_SAMPLE_ROWS);
  const widths = columns.map((name, index) => {
    const longest = sample.reduce(
      (width, row) => Math.max(width, widthOf(row[index] ?? '')),
      widthOf(name) + 2,
    );
    return `${Math.min(CELL_MAX_CH, Math.max(CELL_MIN_CH, longest)) + 3}ch`;
  });
  return `7ch ${widths.join(' ')}`;
}

/** Chinese letters take twice the room. */
const widthOf = (text: string): number =>
  [...text.slice(0, CELL_MAX_CH)].reduce((sum, letter) => sum + (letter > '\u2e80' ? 2 : 1), 0);
