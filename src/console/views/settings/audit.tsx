// The audit log: what was changed, by whom, when and from where. The filter is in the
// address; what is loaded can be taken as CSV.
import { Download, ScrollText } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { Item } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { useQuery } from '../../api/query.ts';
import { query, setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { NoMatch } from '../../ui/no-match.tsx';
import { Empty, InlineError, Time } from '../../ui/small.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { csvOf } from './csv.ts';
import { Section } from './section.tsx';

type Entry = Item<'GET /audit'>;

/** Entries of one page. */
const PAGE = 100;
const FILTERS = ['action', 'who', 'from', 'to'] as const;

/** What the address asks for, as the API takes it. */
function filterOf(params: URLSearchParams) {
  const [action, who, from, to] = FILTERS.map((name) => params.get(name) ?? '');
  // Ids of access keys begin with QS, or are in capitals as AWS's are; those of members
  // have small letters.
  const isKey = who?.startsWith('QS') === true || who === who?.toUpperCase();
  return {
    ...(action ? { action } : {}),
    ...(who ? (isKey ? { accessKeyId: who } : { memberId: who }) : {}),
    ...(from ? { from: new Date(`${from}T00:00:00`).toISOString() } : {}),
    ...(to ? { to: new Date(`${to}T23:59:59`).toISOString() } : {}),
  };
}

export default function Audit() {
  const texts = t().settings;
  const filter = filterOf(query.value);
  const key = JSON.stringify(filter);
  const first = useQuery(`audit ${key}`, (signal) =>
    client.request('GET /audit', { query: { ...filter, limit: PAGE }, signal }),
  );
  const more = useMore(key, filter, first.data.value?.nextCursor ?? null);
  const items = first.data.value === null ? null : [...first.data.value.items, ...more.items];
  return (
    <Section
      title={texts.sections.audit}
      lead={texts.auditLead}
      action={
        <Button
          kind="secondary"
          icon={Download}
          label={texts.csv}
          off={items === null || items.length === 0 ? texts.noEntries : null}
          onClick={() => save(items ?? [])}
        />
      }
    >
      <Filter />
      <Waiting of={first} />
      {items?.length === 0 &&
        (key === '{}' ? (
          <Empty icon={ScrollText} title={texts.noEntries} />
        ) : (
          <NoMatch onClear={() => setQuery({ action: null, who: null, from: null, to: null })} />
        ))}
      {items !== null && items.length > 0 && <Entries items={items} />}
      {items !== null && items.length > 0 && (
        <div class="settings-head">
          <span class="faint grow">{texts.shownEntries(count(items.length))}</span>
          {more.error !== null && <InlineError text={more.error} />}
          {more.cursor !== null && (
            <Button
              kind="secondary"
              label={texts.more}
              isBusy={more.isBusy}
              onClick={() => void more.load()}
            />
          )}
        </div>
      )}
    </Section>
  );
}

/** The pages behind the first one, for as long as the filter stays. */
function useMore(key: string, filter: ReturnType<typeof filterOf>, first: string | null) {
  const [pages, setPages] = useState<{ items: readonly Entry[]; cursor: string | null } | null>(
    null,
  );
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    setPages(null);
    setError(null);
  }, [key]);
  const cursor = pages === null ? first : pages.cursor;

  async function load(): Promise<void> {
    if (cursor === null) return;
    setBusy(true);
    setError(null);
    try {
      const page = await client.request('GET /audit', {
        query: { ...filter, limit: PAGE, cursor },
      });
      setPages({ items: [...(pages?.items ?? []), ...page.items], cursor: page.nextCursor });
    } catch (cause) {
      setError(errorLine(cause));
    } finally {
      setBusy(false);
    }
  }

  return { items: pages?.items ?? [], cursor, isBusy, error, load };
}

function Filter() {
  const texts = t().settings;
  const labels = {
    action: texts.action,
    who: texts.memberId,
    from: texts.from,
    to: texts.to,
  };
  return (
    <div class="audit-filter" role="search">
      {FILTERS.map((name) => (
        <TextField
          key={name}
          label={labels[name]}
          type={name === 'from' || name === 'to' ? 'date' : 'text'}
          value={query.value.get(name) ?? ''}
          onInput={(value) => setQuery({ [name]: value.trim() })}
          mono={name === 'who'}
        />
      ))}
    </div>
  );
}

/** Members, keys and tokens whose names are read, of each: one page. */
const NAMED_MAX = 1000;

/** Names by id of those whom the log names; who is gone by now has none. */
async function readNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const page = { query: { limit: NAMED_MAX }, signal };
  const none = { items: [] };
  const [members, keys, tokens] = await Promise.all([
    may('members:read') ? client.request('GET /members', page) : none,
    may('keys:read') ? client.request('GET /access-keys', page) : none,
    may('tokens:read') ? client.request('GET /tokens', page) : none,
  ]);
  return new Map([
    ...members.items.map(({ id, displayName }) => [id, displayName] as const),
    ...[...keys.items, ...tokens.items].map(({ id, name }) => [id, name] as const),
  ]);
}

function Entries({ items }: { readonly items: readonly Entry[] }) {
  const texts = t().settings;
  const names = useQuery('audit-names', readNames).data.value;
  return (
    <table class="audit">
      <thead>
        <tr>
          <th scope="col">{texts.when}</th>
          <th scope="col">{texts.action}</th>
          <th scope="col">{texts.target}</th>
          <th scope="col">{texts.who}</th>
          <th scope="col">{texts.result}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((entry) => (
          <EntryRow key={entry.id} entry={entry} names={names} />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = { readonly entry: Entry; readonly names: ReadonlyMap<string, string> | null };

function EntryRow({ entry, names }: RowProps) {
  const texts = t().settings;
  const { at, action, target, detail, memberId, accessKeyId, source, status } = entry;
  const who = memberId ?? accessKeyId ?? '';
  const name = names?.get(who);
  const about = target.split(/[/?]/).flatMap((part) => names?.get(part) ?? []);
  const [kind = '', credentialId = ''] = entry.credential.split(' ');
  const token = kind === 'token' ? names?.get(credentialId) : undefined;
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>
        <button type="button" class="link" onClick={() => setQuery({ action })}>
          {action}
        </button>
      </td>
      <td>
        <details>
          <summary>
            <bdi>{target}</bdi>
          </summary>
          <pre class="code" tabIndex={0} role="group" aria-label={texts.details}>
            {[detail, who, entry.credential, entry.requestId].join('\n')}
          </pre>
        </details>
        {about.length > 0 && (
          <span class="hint">
            <bdi>{about.join(', ')}</bdi>
          </span>
        )}
      </td>
      <td>
        <button
          type="button"
          class={name === undefined ? 'link mono' : 'link'}
          onClick={() => setQuery({ who })}
        >
          <bdi>{name ?? who}</bdi>
        </button>
        {name !== undefined && <span class="hint mono">{who}</span>}
        {token !== undefined && <span class="hint">{texts.byToken(token)}</span>}
        <span class="hint">{source}</span>
      </td>
      <td class={status !== null && status >= 400 ? 'red' : undefined}>
        {status ?? texts.notKnown}
      </td>
    </tr>
  );
}

const COLUMNS = [
  'at',
  'action',
  'target',
  'memberId',
  'accessKeyId',
  'credential',
  'source',
  'status',
  'requestId',
  'detail',
] as const;

function save(items: readonly Entry[]): void {
  const text = csvOf([COLUMNS, ...items.map((item) => COLUMNS.map((name) => item[name]))]);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = 'audit.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
