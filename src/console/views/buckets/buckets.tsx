// All buckets: which is big, dear, open.
import { Box, ListFilter, Plus } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { useCommands } from '../../app/commands.ts';
import { lazy } from '../../app/lazy.tsx';
import { query, setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { bytes, count, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Icon } from '../../ui/icon.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Empty, Skeleton } from '../../ui/small.tsx';
import { Table } from '../../ui/table.tsx';
import { openBucket, openBucketMenu } from './bucket-actions.tsx';
import { bucketColumns } from './bucket-columns.tsx';
import {
  beginBuckets,
  isThere,
  type ListedBucket,
  SHOWN_MAX,
  storedBytes,
  useBuckets,
} from './bucket-list.ts';

export const begin = beginBuckets;

const CreateBucket = lazy(() => import('./create-bucket.tsx'));
const openCreate = () => openDialog((close) => <CreateBucket onClose={close} />);

export default function Buckets() {
  const texts = t().buckets;
  const list = useBuckets();
  const filter = query.value.get('filter') ?? '';
  const all = list.items?.filter(isThere) ?? null;
  const shown = all?.filter(({ name }) => name.includes(filter.trim().toLowerCase())) ?? null;
  const field = useRef<HTMLInputElement>(null);
  const mayMake = may('buckets:write');
  useCommands([
    {
      id: 'buckets.create',
      label: t().shell.newBucket,
      keys: ['n'],
      icon: Plus,
      off: mayMake ? undefined : texts.mayNot,
      run: openCreate,
    },
    {
      id: 'buckets.filter',
      label: texts.filter,
      keys: ['/'],
      icon: ListFilter,
      run: () => field.current?.focus(),
    },
  ]);
  useEffect(() => {
    document.title = `${t().shell.buckets} · Quayside`;
  }, []);

  return (
    <>
      <TopBar>
        <Title>{t().shell.buckets}</Title>
      </TopBar>
      <div class="tool-bar">
        <label class="input filter-box">
          <Icon of={ListFilter} />
          <input
            ref={field}
            type="search"
            value={filter}
            placeholder={texts.filter}
            aria-label={texts.filter}
            spellcheck={false}
            onInput={(event) => setQuery({ filter: event.currentTarget.value })}
          />
        </label>
        <span class="gap" />
        {mayMake && (
          <Button
            kind="primary"
            icon={Plus}
            label={t().shell.newBucket}
            keys="N"
            onClick={openCreate}
          />
        )}
      </div>
      <div class="list buckets">
        {list.items === null && list.error !== null && (
          <Failure error={list.error} onRetry={list.reload} />
        )}
        {list.items === null && list.error === null && <Skeletons />}
        {all?.length === 0 && <NoBuckets mayMake={mayMake} />}
        {all !== null && all.length > 0 && shown?.length === 0 && (
          <NoMatch onClear={() => setQuery({ filter: null })} />
        )}
        {shown !== null && shown.length > 0 && <BucketTable buckets={shown} />}
      </div>
      <Sums buckets={shown ?? []} isReading={shown === null} hasMore={list.hasMore} />
    </>
  );
}

function BucketTable({ buckets }: { readonly buckets: readonly ListedBucket[] }) {
  const most = Math.max(1, ...buckets.map(storedBytes));
  return (
    <Table
      label={t().shell.buckets}
      columns={bucketColumns(most)}
      rows={buckets}
      keyOf={({ name }) => name}
      sort={query.value.get('sort') ?? 'name'}
      onSort={(sort) => setQuery({ sort: sort === 'name' ? null : sort })}
      onOpen={openBucket}
      onMenu={(row, event) => openBucketMenu(event, row)}
    />
  );
}

function Skeletons() {
  return (
    <div class="grid bucket-skeletons" aria-hidden="true">
      {[120, 180, 96].map((width) => (
        <div class="row" key={width}>
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  );
}

function NoBuckets({ mayMake }: { readonly mayMake: boolean }) {
  const texts = t().buckets;
  return (
    <Empty
      icon={Box}
      title={texts.none}
      action={
        mayMake && (
          <Button kind="primary" icon={Plus} label={t().shell.newBucket} onClick={openCreate} />
        )
      }
    >
      {texts.noneHint}
    </Empty>
  );
}

type SumsProps = {
  readonly buckets: readonly ListedBucket[];
  readonly isReading: boolean;
  readonly hasMore: boolean;
};

/** Sums of what is shown; they say of how many where not all are counted. */
function Sums({ buckets, isReading, hasMore }: SumsProps) {
  const texts = t().buckets;
  const counted = buckets.filter(({ totals }) => totals != null);
  const sum = (value: (bucket: ListedBucket) => number) =>
    counted.reduce((total, bucket) => total + value(bucket), 0);
  const objects = sum(({ totals }) => totals?.current.objects ?? 0);
  const currency = counted[0]?.totals?.currency;
  return (
    <footer class="status-bar">
      {isReading ? (
        <Skeleton width={160} />
      ) : (
        <>
          <span>
            {hasMore
              ? texts.firstOf(count(SHOWN_MAX))
              : texts.count(buckets.length, count(buckets.length))}
          </span>
          <span class="sep">·</span>
          <span>{t().units.objects(objects, count(objects))}</span>
          <span class="sep">·</span>
          <span>{bytes(sum(storedBytes))}</span>
          {counted.length < buckets.length && (
            <span class="dim">{texts.ofTheFirst(count(counted.length))}</span>
          )}
        </>
      )}
      <span class="gap" />
      {currency !== undefined && (
        <span class="opt">
          {texts.costsNow(
            money(
              sum(({ totals }) => Number(totals?.perMonthMicro ?? 0)),
              currency,
            ),
          )}
        </span>
      )}
    </footer>
  );
}
