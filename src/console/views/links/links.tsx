// The links of all buckets: what each shares or asks for, what was used of it, where it
// stands. `/links/{bucket}/{id}` is a share link, `/links/drop/{bucket}/{id}` a drop link.
import { Ellipsis, FolderInput, Link } from 'lucide';
import { useEffect } from 'preact/hooks';
import { useQuery } from '../../api/query.ts';
import { useCommands } from '../../app/commands.ts';
import { href, navigate, path, query, setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { compareNames, count, date, endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Bytes, Empty, Name, Time } from '../../ui/small.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { DropPage } from './drop-page.tsx';
import { LinkPage } from './link.tsx';
import { askForFiles, dropMenu, linkMenu } from './link-menu.tsx';
import { dropName, dropPath, linkPath, targetName } from './link-names.ts';
import { StateTag, Used } from './link-words.tsx';
import { type Row, readLinks } from './read-links.ts';

const KINDS = ['all', 'share', 'drop'] as const;

export default function Links() {
  const [, , bucket, id, dropId] = path.value.split('/');
  if (bucket === 'drop' && id !== undefined && dropId !== undefined)
    return <DropPage key={dropId} bucket={decodeURIComponent(id)} id={dropId} />;
  if (bucket !== undefined && id !== undefined)
    return <LinkPage key={id} bucket={decodeURIComponent(bucket)} id={id} />;
  return <LinkList />;
}

const nameOfRow = (row: Row): string =>
  row.kind === 'share' ? targetName(row.link.target, t().links) : dropName(row.bucket, row.link);
const pathOfRow = ({ kind, bucket, link }: Row): string =>
  (kind === 'share' ? linkPath : dropPath)(bucket, link.id);
const menuOfRow = (row: Row): readonly MenuItem[] =>
  row.kind === 'share' ? linkMenu(row) : dropMenu(row);
/** What visitors took, or what senders brought. */
const usedOf = ({ kind, link }: Row): number =>
  kind === 'share' ? link.sums.completed : link.usage.files;
const bytesOf = ({ kind, link }: Row): string =>
  kind === 'share' ? link.sums.bytes : link.usage.bytes;
const lastOf = (row: Row): string | null => (row.kind === 'share' ? row.link.lastUsedAt : null);

function LinkList() {
  const texts = t().links;
  const links = useQuery('links', readLinks);
  const text = query.value.get('q') ?? '';
  const { rows = null, hasMore = false } = links.data.value ?? {};
  const wanted = text.toLowerCase();
  const kind = KINDS.find((one) => one === query.value.get('kind')) ?? 'all';
  const found = (rows ?? []).filter(
    (row) =>
      (kind === 'all' || row.kind === kind) &&
      `${nameOfRow(row)} ${row.bucket} ${row.link.note} ${row.link.page.title ?? ''}`
        .toLowerCase()
        .includes(wanted),
  );
  const ask = () => askForFiles(null);
  useCommands(
    may('links:write')
      ? [{ id: 'links.ask', label: t().browse.ask, keys: ['a'], icon: FolderInput, run: ask }]
      : [],
  );
  useEffect(() => {
    document.title = `${t().shell.links} · Quayside`;
  }, []);
  return (
    <>
      <TopBar>
        <Title>{t().shell.links}</Title>
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
        <Segments
          label={texts.drop.kind}
          value={kind}
          options={KINDS.map((value) => ({ value, label: texts.drop.kinds[value] }))}
          onChange={(value) => setQuery({ kind: value === 'all' ? null : value })}
        />
        <span class="gap" />
        {may('links:write') && (
          <Button
            kind="secondary"
            icon={FolderInput}
            label={t().browse.ask}
            keys="A"
            onClick={ask}
          />
        )}
      </div>
      <div class="list keys">
        <Waiting of={links} width={320} />
        {rows?.length === 0 && (
          <Empty icon={Link} title={texts.none}>
            {texts.noneHint}
          </Empty>
        )}
        {rows !== null && rows.length > 0 && found.length === 0 && (
          <NoMatch onClear={() => setQuery({ q: null, kind: null })} />
        )}
        {found.length > 0 && <LinkTable rows={found} />}
      </div>
      <footer class="status-bar">
        <span>
          {rows !== null &&
            texts.shown(found.length + Number(hasMore), count(found.length) + (hasMore ? '+' : ''))}
        </span>
      </footer>
    </>
  );
}

function LinkTable({ rows }: { readonly rows: readonly Row[] }) {
  const menuName = (row: Row) => t().links.menu(nameOfRow(row));
  return (
    <Table
      label={t().shell.links}
      columns={columnsOf(menuName)}
      rows={rows}
      keyOf={({ link }) => link.id}
      sort={query.value.get('sort')}
      onSort={(sort) => setQuery({ sort })}
      onOpen={(row) => navigate(pathOfRow(row))}
      onMenu={(row, event) => openMenu(event, menuName(row), menuOfRow(row))}
    />
  );
}

/** When visitors last used it; of a drop link, how many have sent something. */
function LastUse({ row }: { readonly row: Row }) {
  const texts = t().links;
  if (row.kind === 'drop') {
    const { senders } = row.link.usage;
    return <span class="faint">{texts.drop.senders(senders, count(senders))}</span>;
  }
  const { lastUsedAt } = row.link;
  if (lastUsedAt === null) return <span class="faint">{texts.neverUsed}</span>;
  return <Time at={lastUsedAt} />;
}

function columnsOf(menuName: (row: Row) => string): readonly Column<Row>[] {
  const texts = t().links;
  return [
    {
      id: 'what',
      label: texts.what,
      width: 'minmax(96px, 2fr)',
      compare: (a, b) => compareNames(nameOfRow(a), nameOfRow(b)),
      cell: (row) => (
        <a class="two-lines" href={href(pathOfRow(row))}>
          <Name text={nameOfRow(row)} />
          <span class="faint cut">
            {[
              ...(row.kind === 'drop' ? [texts.drop.kinds.drop] : []),
              row.bucket,
              ...(row.link.note === '' ? [] : [row.link.note]),
            ].join(' · ')}
          </span>
        </a>
      ),
    },
    {
      id: 'used',
      label: texts.used,
      width: '88px',
      isNumber: true,
      isWide: true,
      compare: (a, b) => usedOf(a) - usedOf(b),
      cell: (row) =>
        row.kind === 'share' ? (
          <Used link={row.link} />
        ) : (
          texts.drop.received(row.link.usage.files, count(row.link.usage.files))
        ),
    },
    {
      id: 'traffic',
      label: texts.traffic,
      width: '104px',
      isNumber: true,
      isWide: true,
      compare: (a, b) => Number(bytesOf(a)) - Number(bytesOf(b)),
      cell: (row) => <Bytes value={bytesOf(row)} />,
    },
    {
      id: 'last',
      label: texts.lastUse,
      width: '132px',
      isWide: true,
      compare: (a, b) => (lastOf(a) ?? '').localeCompare(lastOf(b) ?? ''),
      cell: (row) => <LastUse row={row} />,
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
      width: '100px',
      cell: (row) =>
        row.kind === 'drop' && (row.waiting ?? 0) > 0 ? (
          <span class="tag open">{texts.drop.waiting(count(row.waiting ?? 0))}</span>
        ) : (
          <StateTag link={row.link} />
        ),
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
          onClick={(event) => openMenu(event, menuName(row), menuOfRow(row))}
        />
      ),
    },
  ];
}
