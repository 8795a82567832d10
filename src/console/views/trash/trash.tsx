// The trash of a bucket: what is deleted but kept, newest first. Chosen objects come
// back to their old place or to another; what is emptied is gone for good.
import { ArchiveRestore, Clock, FolderInput, Trash2 } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { Item } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { useQuery } from '../../api/query.ts';
import { query, setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { compareNames, count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Bytes, Empty, InlineError, Name, Skeleton, Time } from '../../ui/small.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { runJob } from '../change/run-job.ts';
import { DaysDialog, EmptyDialog, RestoreToDialog } from './trash-dialogs.tsx';

type Trashed = Item<'GET /buckets/{bucket}/trash'>;
export type TrashBucket = Item<'GET /buckets'>;

/** Rows of one page, and buckets that are offered. */
const PAGE = 200;
const BUCKETS_MAX = 100;

/** Most deleted and older bytes first: there is most to win back. */
const byKept = (a: TrashBucket, b: TrashBucket): number =>
  Number(b.totals?.noncurrent.bytes ?? 0) - Number(a.totals?.noncurrent.bytes ?? 0) ||
  compareNames(a.name, b.name);

export default function Trash() {
  const texts = t().trash;
  const buckets = useQuery('buckets trash', (signal) =>
    client.request('GET /buckets', { query: { limit: BUCKETS_MAX, include: 'totals' }, signal }),
  );
  const items = buckets.data.value?.items ?? null;
  const asked = query.value.get('b');
  const chosen = items?.find(({ name }) => name === asked) ?? items?.toSorted(byKept)[0] ?? null;
  useEffect(() => {
    document.title = `${t().shell.trash} · Quayside`;
  }, []);
  return (
    <>
      <TopBar>
        <Title>{t().shell.trash}</Title>
      </TopBar>
      <Waiting of={buckets} />
      {items?.length === 0 && <Empty icon={Trash2} title={texts.noBuckets} />}
      {items !== null && chosen !== null && (
        <TrashOf key={chosen.name} bucket={chosen} names={items.map(({ name }) => name)} />
      )}
    </>
  );
}

type TrashOfProps = { readonly bucket: TrashBucket; readonly names: readonly string[] };

function TrashOf({ bucket, names }: TrashOfProps) {
  const { name } = bucket;
  const prefix = query.value.get('q') ?? '';
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const settings = useQuery(`trash ${name} settings`, (signal) =>
    client.trash.settings(name, { signal }),
  );
  const listing = useListing(name, prefix);
  const rows = listing.rows;
  // What came back meanwhile is chosen no more.
  const keys = (rows ?? []).map(({ key }) => key).filter((key) => chosen.has(key));
  const isOff = bucket.totals?.versioning === 'off';
  return (
    <>
      <ToolBar
        bucket={bucket}
        names={names}
        keys={keys}
        days={settings.data.value?.days ?? null}
        hasRows={(rows?.length ?? 0) > 0}
        onDone={() => setChosen(new Set())}
      />
      <div class="list trash">
        {rows === null && listing.error !== null && (
          <Failure error={listing.error} onRetry={listing.reload} />
        )}
        {rows === null && listing.error === null && <Skeleton width={320} />}
        {rows?.length === 0 &&
          (prefix === '' ? (
            <NothingHere bucket={bucket} isOff={isOff} />
          ) : (
            <NoMatch onClear={() => setQuery({ q: null })} />
          ))}
        {rows !== null && rows.length > 0 && (
          <Table
            label={t().shell.trash}
            columns={columnsOf(rows, chosen, setChosen)}
            rows={rows}
            keyOf={({ key }) => key}
          />
        )}
        {listing.hasMore && (
          <div class="more-rows">
            {listing.moreError !== null && <InlineError text={listing.moreError} />}
            <Button
              kind="secondary"
              label={t().trash.more}
              isBusy={listing.isBusy}
              onClick={() => void listing.loadMore()}
            />
          </div>
        )}
      </div>
      <Status rows={rows?.length ?? 0} chosen={keys.length} isComplete={listing.isComplete} />
    </>
  );
}

/** The pages of a listing: the first by the query, the others on demand. */
function useListing(bucket: string, prefix: string) {
  const asked = { sort: 'deleted', order: 'desc', limit: PAGE, prefix } as const;
  const read = (cursor: string | null, signal?: AbortSignal) =>
    client.request('GET /buckets/{bucket}/trash', {
      path: { bucket },
      query: cursor === null ? asked : { ...asked, cursor },
      signal,
    });
  const first = useQuery(`trash ${bucket} list ${prefix}`, (signal) => read(null, signal));
  const page = first.data.value;
  const [more, setMore] = useState<{ rows: readonly Trashed[]; cursor: string | null } | null>(
    null,
  );
  const [isBusy, setBusy] = useState(false);
  const [moreError, setError] = useState<string | null>(null);
  useEffect(() => setMore(null), [page]);
  const cursor = more === null ? (page?.nextCursor ?? null) : more.cursor;

  async function loadMore(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const next = await read(cursor);
      setMore({ rows: [...(more?.rows ?? []), ...next.items], cursor: next.nextCursor });
    } catch (error) {
      setError(errorLine(error));
    } finally {
      setBusy(false);
    }
  }

  return {
    rows: page === null ? null : [...page.items, ...(more?.rows ?? [])],
    isComplete: page?.isComplete ?? true,
    error: first.error.value,
    reload: first.reload,
    hasMore: cursor !== null,
    isBusy,
    moreError,
    loadMore,
  };
}

type ToolBarProps = TrashOfProps & {
  readonly keys: readonly string[];
  readonly days: number | null;
  readonly hasRows: boolean;
  readonly onDone: () => void;
};

function ToolBar({ bucket, names, keys, days, hasRows, onDone }: ToolBarProps) {
  const texts = t().trash;
  const { name } = bucket;
  const objects = t().units.objects(keys.length, count(keys.length));

  async function restore(): Promise<void> {
    try {
      await runJob(name, { kind: 'restore', prefix: '', keys: [...keys] });
      onDone();
    } catch (error) {
      showToast({ text: errorLine(error) });
    }
  }

  if (keys.length > 0) {
    return (
      <div class="tool-bar has-selection">
        <Button
          kind="primary"
          icon={ArchiveRestore}
          label={texts.restoreCount(objects)}
          onClick={() => void restore()}
        />
        <Button
          icon={FolderInput}
          label={texts.restoreTo}
          onClick={() =>
            openDialog((close) => (
              <RestoreToDialog bucket={name} keys={keys} onClose={close} onDone={onDone} />
            ))
          }
        />
        <span class="gap" />
        <Button
          kind="red"
          icon={Trash2}
          label={t().object.deleteForGood}
          onClick={() =>
            openDialog((close) => <EmptyDialog bucket={bucket} keys={keys} onClose={close} />)
          }
        />
      </div>
    );
  }
  return (
    <div class="tool-bar">
      <select
        class="input tool-filter"
        aria-label={texts.bucket}
        value={name}
        onChange={(event) => setQuery({ b: event.currentTarget.value, q: null })}
      >
        {names.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <input
        class="input tool-filter wide"
        type="search"
        aria-label={texts.filter}
        placeholder={texts.filter}
        value={query.value.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
      />
      <span class="gap" />
      {may('buckets:write') && (
        <Button
          icon={Clock}
          label={days === null ? texts.days : texts.kept(t().change.days(days))}
          onClick={() =>
            openDialog((close) => <DaysDialog bucket={bucket} days={days} onClose={close} />)
          }
        />
      )}
      {may('objects:write') && hasRows && (
        <Button
          kind="red"
          icon={Trash2}
          label={texts.empty}
          onClick={() =>
            openDialog((close) => <EmptyDialog bucket={bucket} keys={null} onClose={close} />)
          }
        />
      )}
    </div>
  );
}

function NothingHere({ bucket, isOff }: { readonly bucket: TrashBucket; readonly isOff: boolean }) {
  const texts = t().trash;
  if (!isOff) {
    return (
      <Empty icon={Trash2} title={texts.none}>
        {texts.noneHint(bucket.name)}
      </Empty>
    );
  }
  return (
    <Empty
      icon={Trash2}
      title={texts.off}
      action={
        may('buckets:write') && (
          <Button
            kind="secondary"
            icon={Clock}
            label={texts.days}
            onClick={() =>
              openDialog((close) => <DaysDialog bucket={bucket} days={null} onClose={close} />)
            }
          />
        )
      }
    >
      {texts.offHint}
    </Empty>
  );
}

function columnsOf(
  rows: readonly Trashed[],
  chosen: ReadonlySet<string>,
  setChosen: (keys: ReadonlySet<string>) => void,
): readonly Column<Trashed>[] {
  const texts = t().trash;
  const toggle = (key: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(key);
    else next.delete(key);
    setChosen(next);
  };
  const isAll = rows.every(({ key }) => chosen.has(key));
  const canWrite = may('objects:write');
  return [
    {
      id: 'choose',
      label: canWrite ? (
        <label class="pick-target">
          <input
            type="checkbox"
            class="pick-box"
            aria-label={texts.chooseAll}
            checked={isAll}
            onChange={() => setChosen(new Set(isAll ? [] : rows.map(({ key }) => key)))}
          />
        </label>
      ) : (
        ''
      ),
      width: '32px',
      cell: ({ key, size }) =>
        canWrite && (
          <label class="pick-target">
            <input
              type="checkbox"
              class="pick-box"
              aria-label={texts.choose(key)}
              checked={chosen.has(key)}
              disabled={size === null}
              onChange={(event) => toggle(key, event.currentTarget.checked)}
            />
          </label>
        ),
    },
    {
      id: 'name',
      label: t().browse.name,
      width: 'minmax(120px, 1fr)',
      cell: ({ key, deletedAt }) => (
        <span class="two-lines">
          <Name text={key} />
          <span class="faint on-phone">
            <Time at={deletedAt} />
          </span>
        </span>
      ),
    },
    {
      id: 'deleted',
      label: texts.deleted,
      width: '132px',
      isWide: true,
      cell: ({ deletedAt }) => <Time at={deletedAt} />,
    },
    {
      id: 'size',
      label: t().browse.size,
      width: '96px',
      isNumber: true,
      cell: ({ size }) =>
        size === null ? <span class="faint">{texts.nothingBack}</span> : <Bytes value={size} />,
    },
  ];
}

type StatusProps = {
  readonly rows: number;
  readonly chosen: number;
  readonly isComplete: boolean;
};

function Status({ rows, chosen, isComplete }: StatusProps) {
  const texts = t().trash;
  return (
    <footer class="status-bar">
      <span>{texts.shown(count(rows))}</span>
      {!isComplete && (
        <>
          <span class="sep">·</span>
          <span>{texts.notAll}</span>
        </>
      )}
      {chosen > 0 && (
        <>
          <span class="sep">·</span>
          <span>{texts.chosen(count(chosen))}</span>
        </>
      )}
    </footer>
  );
}
