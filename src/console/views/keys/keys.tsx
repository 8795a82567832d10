// Access keys: what each can do, when it was used, and its end. `/keys/new` is the
// form, `/keys/made` shows a new secret once.
import { KeyRound, Plus } from 'lucide';
import { useEffect } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { useCommands } from '../../app/commands.ts';
import { lazy } from '../../app/lazy.tsx';
import { navigate, path, query, setQuery } from '../../app/router.ts';
import { may, server } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { compareNames, count, date, endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Switch } from '../../ui/field.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Empty, Name, Skeleton, Time } from '../../ui/small.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { KeyMade } from './key-made.tsx';
import { keyMenu, MoreButton, setEnabled } from './key-menu.tsx';
import { madeKey } from './made-key.ts';
import { type AccessKey, mayText } from './scope.ts';

const NewKey = lazy(() => import('./new-key.tsx'));

export default function Keys() {
  if (path.value === '/keys/new' && may('keys:write')) return <NewKey />;
  if (path.value === '/keys/made' && madeKey.value !== null) {
    return <KeyMade key={madeKey.value.id} made={madeKey.value} />;
  }
  return <KeyList />;
}

/** All keys of the account: a thousand at most, so they are read whole. */
async function readKeys(signal: AbortSignal): Promise<readonly AccessKey[]> {
  const keys: AccessKey[] = [];
  for await (const key of client.keys.list({ signal })) keys.push(key);
  return keys;
}

function KeyList() {
  const texts = t().keys;
  const keys = useQuery('keys', readKeys);
  const text = query.value.get('q') ?? '';
  const found = (keys.data.value ?? []).filter(
    ({ id, name }) => name.toLowerCase().includes(text.toLowerCase()) || id.includes(text),
  );
  const off = server.value?.features.encryption === false ? texts.noMasterKey : undefined;
  useEffect(() => {
    document.title = `${t().shell.keys} · Quayside`;
  }, []);
  useCommands(
    may('keys:write')
      ? [{ id: 'keys.new', label: texts.create, keys: ['n'], icon: Plus, off, run: openForm }]
      : [],
  );

  return (
    <>
      <TopBar>
        <Title>{t().shell.keys}</Title>
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
        <span class="gap" />
        {may('keys:write') && (
          <Button kind="primary" icon={Plus} label={texts.create} off={off} onClick={openForm} />
        )}
      </div>
      <div class="list keys">
        <Waiting of={keys} />
        {keys.data.value === null && keys.error.value === null && <Skeletons />}
        {keys.data.value?.length === 0 && (
          <Empty icon={KeyRound} title={texts.none}>
            {off ?? texts.noneHint}
          </Empty>
        )}
        {keys.data.value !== null && keys.data.value.length > 0 && found.length === 0 && (
          <NoMatch onClear={() => setQuery({ q: null })} />
        )}
        {found.length > 0 && <KeyTable keys={found} />}
      </div>
      <footer class="status-bar">
        <span>{keys.data.value !== null && texts.shown(found.length, count(found.length))}</span>
      </footer>
    </>
  );
}

const openForm = () => navigate('/keys/new');

function Skeletons() {
  return (
    <div class="grid" aria-hidden="true">
      {[260, 340, 220].map((width) => (
        <div class="row" key={width}>
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  );
}

const isOver = ({ expiresAt }: AccessKey): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();

function columnsOf(): readonly Column<AccessKey>[] {
  const texts = t().keys;
  return [
    {
      id: 'name',
      label: t().browse.name,
      width: 'minmax(140px, 1fr)',
      compare: (a, b) => compareNames(a.name, b.name),
      cell: ({ name, id }) => (
        <span class="two-lines">
          <Name text={name} />
          <span class="mono faint cut">{id}</span>
        </span>
      ),
    },
    {
      id: 'scope',
      label: texts.scope,
      width: 'minmax(160px, 2fr)',
      isWide: true,
      cell: (key) => {
        const text = key.role === null ? mayText(key.scope) : texts.andSignsIn(mayText(key.scope));
        return (
          <span class="clamp" title={text}>
            {text}
          </span>
        );
      },
    },
    {
      id: 'ends',
      label: texts.ends,
      width: '132px',
      isWide: true,
      compare: (a, b) => (a.expiresAt ?? '9').localeCompare(b.expiresAt ?? '9'),
      cell: (key) => {
        if (key.expiresAt === null) return <span class="faint">{texts.never}</span>;
        if (isOver(key)) return <span class="tag bad">{texts.ended}</span>;
        return <span title={endTime(key.expiresAt)}>{date(key.expiresAt)}</span>;
      },
    },
    {
      id: 'used',
      label: texts.lastUse,
      width: '132px',
      isWide: true,
      compare: (a, b) => (a.lastUsedAt ?? '').localeCompare(b.lastUsedAt ?? ''),
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span class="faint">{texts.notYet}</span> : <Time at={lastUsedAt} />,
    },
    {
      id: 'enabled',
      label: texts.enabled,
      width: '76px',
      cell: (key) => (
        <Switch
          label={texts.enableKey(key.name)}
          checked={key.isEnabled}
          disabled={!may('keys:write')}
          onChange={(isEnabled) => void setEnabled(key, isEnabled)}
        />
      ),
    },
    {
      id: 'more',
      label: '',
      width: '32px',
      cell: (key) => (may('keys:write') ? <MoreButton accessKey={key} /> : null),
    },
  ];
}

function KeyTable({ keys }: { readonly keys: readonly AccessKey[] }) {
  return (
    <Table
      label={t().shell.keys}
      columns={columnsOf()}
      rows={keys}
      keyOf={({ id }) => id}
      sort={query.value.get('sort')}
      onSort={(sort) => setQuery({ sort })}
      onMenu={(key, event) => {
        if (may('keys:write')) openMenu(event, t().keys.menu(key.name), keyMenu(key));
      }}
    />
  );
}
