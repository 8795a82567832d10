// The columns of the list of buckets. What is still being counted is a skeleton.
import { Box, Ellipsis } from 'lucide';
import type { ComponentChildren } from 'preact';
import { href, objectPath } from '../../app/router.ts';
import { bytes, compareNames, count, date, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Bytes, ReadBy, Skeleton } from '../../ui/small.tsx';
import type { Column } from '../../ui/table.tsx';
import { openBucketMenu } from './bucket-actions.tsx';
import { type ListedBucket, READERS, storedBytes } from './bucket-list.ts';

type Totals = NonNullable<ListedBucket['totals']>;

const objectsOf = ({ totals }: ListedBucket) => totals?.current.objects ?? -1;
const costOf = ({ totals }: ListedBucket) => Number(totals?.perMonthMicro ?? -1);
const opennessOf = ({ totals }: ListedBucket) =>
  totals == null ? 0 : { none: 0, some: 1, read: 2 }[totals.publicAccess];

/** `mostBytes` is what the longest bar stands for. */
export function bucketColumns(mostBytes: number): readonly Column<ListedBucket>[] {
  const texts = t().buckets;
  return [
    {
      id: 'name',
      label: t().browse.name,
      width: 'minmax(180px, 1.5fr)',
      cell: (bucket) => <NameCell bucket={bucket} />,
      compare: (a, b) => compareNames(a.name, b.name),
    },
    {
      id: 'readers',
      label: texts.readBy,
      width: 'minmax(112px, .6fr)',
      isWide: true,
      cell: counted(({ publicAccess }) => <ReadBy readers={READERS[publicAccess]} />),
      compare: (a, b) => opennessOf(a) - opennessOf(b),
    },
    {
      id: 'objects',
      label: texts.objects,
      width: '96px',
      isNumber: true,
      isWide: true,
      cell: counted(({ current }) => count(current.objects)),
      compare: (a, b) => objectsOf(a) - objectsOf(b),
    },
    {
      id: 'size',
      label: texts.stored,
      width: 'minmax(140px, 1fr)',
      isWide: true,
      cell: (bucket) => <StoredCell bucket={bucket} mostBytes={mostBytes} />,
      compare: (a, b) => storedBytes(a) - storedBytes(b),
    },
    {
      id: 'cost',
      label: texts.aMonth,
      width: '80px',
      isNumber: true,
      isWide: true,
      cell: counted(({ perMonthMicro, currency }) => money(perMonthMicro, currency)),
      compare: (a, b) => costOf(a) - costOf(b),
    },
    {
      id: 'versions',
      label: texts.versions,
      width: '96px',
      isWide: true,
      cell: counted(({ versioning }) => <span class="dim">{texts.versioning[versioning]}</span>),
    },
    {
      id: 'created',
      label: texts.made,
      width: '108px',
      isWide: true,
      cell: ({ createdAt }) => <span class="dim">{date(createdAt)}</span>,
      compare: (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt),
    },
    {
      id: 'more',
      label: '',
      width: '32px',
      cell: (bucket) => (
        <Button
          icon={Ellipsis}
          iconOnly
          label={texts.more(bucket.name)}
          onClick={(event) => openBucketMenu(event, bucket)}
        />
      ),
    },
  ];
}

const counted =
  (show: (totals: Totals) => ComponentChildren) =>
  ({ totals }: ListedBucket) =>
    totals == null ? <Skeleton width={48} /> : show(totals);

function NameCell({ bucket }: { readonly bucket: ListedBucket }) {
  const { name, totals } = bucket;
  return (
    <span class="name">
      <span class="kind is-folder">
        <Icon of={Box} />
      </span>
      <span class="cut">
        <a class="text bucket-name" href={href(objectPath(name, ''))} title={name} tabIndex={-1}>
          <bdi>{name}</bdi>
        </a>
        <span class="second-line">
          {totals == null ? (
            <Skeleton width={120} />
          ) : (
            <SecondLine totals={totals} bucket={bucket} />
          )}
        </span>
      </span>
    </span>
  );
}

type SecondLineProps = { readonly totals: Totals; readonly bucket: ListedBucket };

/** What stands below the name on a phone. */
function SecondLine({ totals, bucket }: SecondLineProps) {
  const { publicAccess, current, perMonthMicro, currency } = totals;
  const objects = t().units.objects(current.objects, count(current.objects));
  const cost = money(perMonthMicro, currency);
  const { everyone, everyonePart } = t().units;
  const readers = { none: null, some: everyonePart, read: everyone }[publicAccess];
  return (
    <>
      {readers !== null && <span class="flag-dot" role="img" aria-label={readers} />}
      {`${bytes(storedBytes(bucket))} · ${objects} · ${cost}`}
    </>
  );
}

type StoredProps = { readonly bucket: ListedBucket; readonly mostBytes: number };

function StoredCell({ bucket, mostBytes }: StoredProps) {
  if (bucket.totals == null) return <Skeleton width={64} />;
  const stored = storedBytes(bucket);
  return (
    <span class="stored">
      <span class="number">
        <Bytes value={stored} />
      </span>
      <span class="stored-bar" aria-hidden="true">
        <i style={{ width: `${((stored / mostBytes) * 100).toFixed(1)}%` }} />
      </span>
    </span>
  );
}
