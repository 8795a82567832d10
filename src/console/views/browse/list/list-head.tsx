// The heads of the columns: a click sorts, the edge is dragged for the width, the box
// selects all.
import { ArrowDown, ArrowUp, Check, Minus } from 'lucide';
import { useRef } from 'preact/hooks';
import { t } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { Order } from '../folder-address.ts';
import { type ColumnId, changeLayout, clampWidth, type Layout, widthOf } from '../layout.ts';
import type { SelectionModel } from '../selection-model.ts';
import type { SortBy } from './row-source.ts';

type ListHeadProps = {
  readonly place: string;
  readonly layout: Layout;
  readonly columns: readonly ColumnId[];
  readonly order: Order;
  readonly selection: SelectionModel;
  /** Said beside the name where rows do not stand as people sort. */
  readonly orderNote: string | null;
  readonly onSort: (order: Order) => void;
};

export function ListHead(props: ListHeadProps) {
  const { columns, selection } = props;
  const texts = t().browse;
  const isSome = selection.count.value > 0;
  const isAll = selection.isAll.value;
  const box = isAll ? 'box is-selected' : isSome ? 'box is-some' : 'box';
  return (
    <div role="rowgroup" class="head-group">
      <div class="row row-head" role="row" aria-rowindex={1}>
        <span role="columnheader" class="pick">
          <button
            type="button"
            class={box}
            role="checkbox"
            aria-checked={isAll ? 'true' : isSome ? 'mixed' : 'false'}
            aria-label={texts.selectAll}
            onClick={() => (isAll || isSome ? selection.clear() : selection.all())}
          >
            <Icon of={isSome && !isAll ? Minus : Check} />
          </button>
        </span>
        <Head {...props} sortBy="name" label={texts.name} note={props.orderNote} />
        {columns.map((column) =>
          column === 'readers' ? (
            <span key={column} role="columnheader" class="wide-cell">
              {texts.readBy}
              <Edge {...props} column={column} />
            </span>
          ) : (
            <Head key={column} {...props} sortBy={column} label={texts[column]} column={column} />
          ),
        )}
        <span role="columnheader">
          <span class="visually-hidden">{texts.actions}</span>
        </span>
      </div>
    </div>
  );
}

type HeadProps = ListHeadProps & {
  readonly sortBy: SortBy;
  readonly label: string;
  readonly column?: ColumnId;
  readonly note?: string | null;
};

function Head({ sortBy, label, column, note = null, order, onSort, ...rest }: HeadProps) {
  const isSorted = order.sort === sortBy;
  const direction = isSorted ? (order.isDescending ? 'descending' : 'ascending') : undefined;
  // The biggest and the newest are looked for most.
  const isDescendingFirst = sortBy !== 'name';
  const classes = ['wide-cell', sortBy === 'size' && 'number', sortBy === 'name' && 'name'];
  return (
    <span role="columnheader" class={classes.filter(Boolean).join(' ')} aria-sort={direction}>
      <button
        type="button"
        class="sort"
        onClick={() =>
          onSort({
            sort: sortBy,
            isDescending: isSorted ? !order.isDescending : isDescendingFirst,
          })
        }
      >
        {label}
        {isSorted && <Icon of={order.isDescending ? ArrowDown : ArrowUp} />}
      </button>
      {note !== null && <span class="faint order-note">{note}</span>}
      {column !== undefined && <Edge {...rest} column={column} />}
    </span>
  );
}

/** Step of the width by an arrow key, pixels. */
const STEP_PX = 8;

type EdgeProps = Pick<ListHeadProps, 'place' | 'layout'> & { readonly column: ColumnId };

/** The left edge of a column, which is dragged or moved by arrows. */
function Edge({ place, layout, column }: EdgeProps) {
  const width = widthOf(layout, column);
  const from = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const change = (px: number) =>
    changeLayout(place, { widths: { ...layout.widths, [column]: clampWidth(px) } });
  return (
    <span
      class="edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={t().browse.columnWidth}
      aria-valuenow={width}
      tabIndex={-1}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.preventDefault();
        from.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const start = from.current;
        if (start !== null) change(start.width + start.x - event.clientX);
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        event.stopPropagation();
        change(width + (event.key === 'ArrowLeft' ? STEP_PX : -STEP_PX));
      }}
    />
  );
}
