// The links of all buckets: what each shares, what was used of it, where it stands.
// `/links/{bucket}/{id}` is one of them.
import { Ellipsis, Link } from 'lucide';
import { useEffect } from 'preact/hooks';
import type { Item } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { href, navigate, path, query, setQuery } from '../../app/router.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { compareNames, count, date, endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Bytes, Empty, Name, Skeleton, Time } from '../../ui/small.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { LinkPage } from './link.tsx';
import { linkMenu } from './link-menu.tsx';
import { StateTag, Used } from './link-words.tsx';
import { linkPath } from './share.tsx';
import { targetName } from './share-draft.ts';

type Row = { readonly bucket: string; readonly link: Item<'GET /buckets/{bucket}/share-links'> };

/** Links whose buckets are asked, and links of a bucket that are read: one page each. */
const PAGE = 100;
/** Buckets that are asked at once. */
const AT_ONCE = 6;

export default function Links() {
  const [, , bucket, id] = path.value.split('/');
  if (bucket !== undefined && id !== undefined)
    return <LinkPage key={id} bucket={decodeURIComponent(bucket)} id={id} />;
  return <LinkList />;
}

/** The newest links of the account, each as its bucket describes it. */
async function readLinks(signal: AbortSignal): Promise<readonly Row[]> {
  const { items } = await client.request('GET /links', {
    query: { kind: 'share', limit: PAGE },
    signal,
  });
  const names = [...new Set(items.map(({ bucket }) => bucket))];
  const rows: Row[] = [];
  const readNext = async (): Promise<void> => {
    for (let bucket = names.pop(); bucket !== undefined; bucket = names.pop()) {
      const page = await client.request('GET /buckets/{bucket}/share-links', {
        path: { bucket },
        query: { limit: PAGE },
        signal,
      });
      for (const link of page.items) rows.push({ bucket, link });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return rows.sort((a, b) => b.link.createdAt.localeCompare(a.link.createdAt));
}

function LinkList() {
  const texts = t().links;
  const links = useQuery('links', readLinks);
  const text = query.value.get('q') ?? '';
  const rows = links.data.value;
  const wanted = text.toLowerCase();
  const found = (rows ?? []).filter(({ bucket, link }) =>
    `${targetName(link.target, texts)} ${bucket} ${link.note} ${link.page.title ?? ''}`
      .toLowerCase()
      .includes(wanted),
  );
  useEffect(() => {
    document.title = `${texts.title} · Quayside`;
  }, []);
  return (
    <>
      <TopBar>
        <Title>{texts.title}</Title>
      </TopBar>
      <div class="tool-bar">
        <input
          class="input tool-filter"
          type="search"
          aria-label={texts.filter}
          placeholder={texts.filter}
          value={text}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
      </div>
      <div class="list keys">
        {rows === null && links.error.value !== null && (
          <Failure error={links.error.value} onRetry={links.reload} />
        )}
        {rows === null && links.error.value === null && <Skeleton width={320} />}
        {rows?.length === 0 && (
          <Empty icon={Link} title={texts.none}>
            {texts.noneHint}
          </Empty>
        )}
        {found.length > 0 && <LinkTable rows={found} />}
      </div>
      <footer class="status-bar">
        <span>{rows !== null && texts.shown(count(found.length))}</span>
      </footer>
    </>
  );
}

function LinkTable({ rows }: { readonly rows: readonly Row[] }) {
  const menuName = ({ link }: Row) => t().links.menu(targetName(link.target, t().links));
  return (
    <Table
      label={t().links.title}
      columns={columnsOf(menuName)}
      rows={rows}
      keyOf={({ link }) => link.id}
      sort={query.value.get('sort')}
      onSort={(sort) => setQuery({ sort })}
      onOpen={({ bucket, link }) => navigate(linkPath(bucket, link.id))}
      onMenu={(row, event) => openMenu(event, menuName(row), linkMenu(row))}
    />
  );
}

function columnsOf(menuName: (row: Row) => string): readonly Column<Row>[] {
  const texts = t().links;
  return [
    {
      id: 'what',
      label: texts.what,
      width: 'minmax(140px, 2fr)',
      compare: (a, b) =>
        compareNames(targetName(a.link.target, texts), targetName(b.link.target, texts)),
      cell: ({ bucket, link }) => (
        <a class="two-lines" href={href(linkPath(bucket, link.id))}>
          <Name text={targetName(link.target, texts)} />
          <span class="faint cut">{link.note === '' ? bucket : `${bucket} · ${link.note}`}</span>
        </a>
      ),
    },
    {
      id: 'used',
      label: texts.used,
      width: '132px',
      isNumber: true,
      compare: (a, b) => a.link.usage.downloads - b.link.usage.downloads,
      cell: ({ link }) => <Used link={link} />,
    },
    {
      id: 'traffic',
      label: texts.traffic,
      width: '104px',
      isNumber: true,
      isWide: true,
      compare: (a, b) => Number(a.link.usage.bytes) - Number(b.link.usage.bytes),
      cell: ({ link }) => <Bytes value={link.usage.bytes} />,
    },
    {
      id: 'last',
      label: texts.lastUse,
      width: '132px',
      isWide: true,
      compare: (a, b) => (a.link.lastUsedAt ?? '').localeCompare(b.link.lastUsedAt ?? ''),
      cell: ({ link }) =>
        link.lastUsedAt === null ? (
          <span class="faint">{texts.neverUsed}</span>
        ) : (
          <Time at={link.lastUsedAt} />
        ),
    },
    {
      id: 'ends',
      label: texts.ends,
      width: '132px',
      isWide: true,
      compare: (a, b) => (a.link.expiresAt ?? '9').localeCompare(b.link.expiresAt ?? '9'),
      cell: ({ link: { expiresAt } }) =>
        expiresAt === null ? (
          <span class="faint">{texts.endChoices.never}</span>
        ) : (
          <span title={endTime(expiresAt)}>{date(expiresAt)}</span>
        ),
    },
    {
      id: 'state',
      label: texts.state,
      width: '96px',
      cell: ({ link }) => <StateTag link={link} />,
    },
    {
      id: 'more',
      label: '',
      width: '32px',
      cell: (row) => (
        <Button
          icon={Ellipsis}
          iconOnly
          label={menuName(row)}
          onClick={(event) => openMenu(event, menuName(row), linkMenu(row))}
        />
      ),
    },
  ];
}
