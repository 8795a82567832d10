// CSV and TSV as a table: read by ranges from the front as one scrolls, sorted and
// filtered within what is loaded. Only the rows in sight are in the page.
import { useMemo, useState } from 'preact/hooks';
import { bytes, count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { ViewerFrame } from '../frame.tsx';
import type { ViewProps } from '../shown.ts';
import { type Pages, rangePages } from '../text/pages.ts';
import { type PageReader, usePages } from '../text/use-pages.ts';
import { Rows } from './row-window.tsx';
import { createRowReader } from './rows.ts';

/** Bytes of a page: the first screen needs one. */
const PAGE_BYTES = 512 * 1024;
const COMPACT_BYTES = 16 * 1024;

type TableContent = {
  readonly rows: readonly string[][];
  /** Cells of the widest row. */
  readonly width: number;
};
const NO_ROWS: TableContent = { rows: [], width: 0 };

export default function TableView({ shown, compact }: ViewProps) {
  const open = (pageBytes: number) => rangePages(shown.source, pageBytes);
  return <RowsView shown={shown} compact={compact} open={open} />;
}

type RowsViewProps = ViewProps & {
  /** Begins reading from the front. */
  readonly open: (pageBytes: number) => Pages;
};

export function RowsView({ shown, compact, open }: RowsViewProps) {
  const texts = t().viewers.table;
  const pageBytes = compact ? COMPACT_BYTES : PAGE_BYTES;
  const { state, more } = usePages(
    () => open(pageBytes),
    () => createTableReader(shown.name),
    NO_ROWS,
    shown.name,
  );
  const { content } = state;
  const [filter, setFilter] = useState('');
  const [sort, setSort] = useState<string | null>(null);
  const [hasHead, setHead] = useState(true);

  const head = hasHead ? (content.rows[0] ?? []) : [];
  const rows = useMemo(
    () => arrange(hasHead ? content.rows.slice(1) : content.rows, filter, sort),
    [content.rows, hasHead, filter, sort],
  );
  const { width } = content;
  const columns = Array.from({ length: width }, (_, index) => head[index] ?? `${index + 1}`);
  const isAll = state.isAtEnd;

  const tools = (
    <>
      <input
        type="search"
        class="input viewer-filter"
        value={filter}
        aria-label={texts.filter}
        placeholder={texts.filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <Button label={texts.head} pressed={hasHead} wide onClick={() => setHead(!hasHead)} />
    </>
  );
  return (
    <ViewerFrame compact={compact} tools={tools}>
      <Rows
        columns={columns}
        rows={rows}
        sort={sort}
        onSort={setSort}
        label={texts.label(shown.name)}
        onNearEnd={() => {
          // A filter with few rows would otherwise read the whole file by itself.
          const isArranged = filter !== '' || sort !== null;
          const mayRead = !isAll && !state.isLoading && state.error === null && !compact;
          if (mayRead && !isArranged) more();
        }}
      />
      {state.error !== null && <Failure error={state.error} onRetry={more} />}
      {!compact && (
        <div class="status-line" role="status">
          <span>
            {isAll
              ? texts.rows(count(rows.length))
              : texts.rowsOf(count(rows.length), bytes(state.readBytes), bytes(state.totalBytes))}
          </span>
          {!isAll && (sort !== null || filter !== '') && <span>{texts.onlyLoaded}</span>}
          <span class="gap" />
          {state.encoding !== null && <span>{state.encoding}</span>}
          {!isAll && (
            <Button label={t().viewers.text.more} isBusy={state.isLoading} onClick={more} />
          )}
        </div>
      )}
    </ViewerFrame>
  );
}

function createTableReader(name: string): PageReader<TableContent> {
  const reader = createRowReader(name);
  let content = NO_ROWS;
  return {
    add(page, isAtEnd) {
      const added = reader.read(page, isAtEnd);
      const width = added.reduce((widest, row) => Math.max(widest, row.length), content.width);
      content = { rows: content.rows.concat(added), width };
      return content;
    },
    encoding: () => reader.encoding(),
  };
}

/** The rows that match, in order: numbers by value, texts as people sort. */
function arrange(
  rows: readonly string[][],
  filter: string,
  sort: string | null,
): readonly string[][] {
  const wanted = filter.trim().toLowerCase();
  const matching =
    wanted === ''
      ? rows
      : rows.filter((row) => row.some((cell) => cell.toLowerCase().includes(wanted)));
  if (sort === null) return matching;
  const isDown = sort.startsWith('-');
  const column = Number(isDown ? sort.slice(1) : sort);
  const collator = new Intl.Collator(undefined, { numeric: true });
  const sorted = matching.toSorted((a, b) => {
    const [one = '', other = ''] = [a[column], b[column]];
    const difference = Number(one) - Number(other);
    const isNumbers = one !== '' && other !== '' && !Number.isNaN(difference);
    return isNumbers ? difference : collator.compare(one, other);
  });
  return isDown ? sorted.reverse() : sorted;
}
