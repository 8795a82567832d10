// What is selected, beside the list: preview, name, who can read it, versions, details.
// It follows the selection once that rests, and drops what it was loading.
import { ChevronDown, ChevronUp, Download, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../../../api/client.ts';
import { useQuery } from '../../../api/query.ts';
import { lazy } from '../../../app/lazy.tsx';
import { href, objectPath, query, setQuery } from '../../../app/router.ts';
import { bytes, count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { openMenu } from '../../../ui/open-menu.tsx';
import { Bytes, Skeleton } from '../../../ui/small.tsx';
import { type Action, chosen, rowMenu } from '../folder-actions.ts';
import { kindOf } from '../kinds.ts';
import { Picture } from '../list/picture.tsx';
import { keyOf } from '../list/row-list.ts';
import { nameOf, type SelectedRow } from '../selection.ts';
import { sumOf } from '../selection-sum.ts';
import { placeName, shownName } from '../shown-name.ts';
import type { FolderModel } from '../use-folder.ts';
import { Details } from './details.tsx';

const Viewer = lazy(() =>
  import('../../viewers/viewer.tsx').then((module) => ({ default: module.Viewer })),
);
const FolderReadme = lazy(() =>
  import('../../viewers/page/readme.tsx').then((module) => ({ default: module.FolderReadme })),
);
const Versions = lazy(() =>
  import('../../object/versions.tsx').then((module) => ({ default: module.Versions })),
);
const Readers = lazy(() =>
  import('../../access/readers.tsx').then((module) => ({ default: module.Readers })),
);

/** How long the selection rests before the inspector follows, milliseconds. */
const FOLLOWS_AFTER_MS = 80;

type InspectorProps = { readonly folder: FolderModel; readonly actions: readonly Action[] };

export default function Inspector({ folder, actions }: InspectorProps) {
  const { selection, bucket, prefix } = folder;
  void folder.sizes.version.value;
  void folder.list.version.value;
  const selected = chosen(folder);
  const at = Math.max(
    0,
    selected.rows.findIndex(({ key }) => key === currentKey(folder)),
  );
  const row = useRested(selected.isAll ? null : (selected.rows[at] ?? null));
  const texts = t().browse;
  const number = selected.rows.length;
  const step = (by: number) => {
    const next = selected.rows[(at + by + number) % number];
    if (next !== undefined) folder.grid.current?.goTo(folder.list.indexOfKey(next.key));
  };
  const close = () => {
    setQuery({ panel: null });
    folder.grid.current?.focus();
  };
  return (
    <aside
      class="inspector"
      aria-label={texts.inspector}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        folder.grid.current?.focus();
      }}
    >
      <div class="head">
        <span class="cut">
          {number > 1 ? texts.ofSelected(count(at + 1), count(number)) : texts.inspector}
        </span>
        <span class="gap" />
        {number > 1 && (
          <>
            <Button icon={ChevronUp} iconOnly label={texts.previous} onClick={() => step(-1)} />
            <Button icon={ChevronDown} iconOnly label={texts.next} onClick={() => step(1)} />
          </>
        )}
        <Button icon={X} iconOnly label={t().shell.close} keys="I" onClick={close} />
      </div>
      <div class="scroll">
        {number > 1 && <SelectionTitle rows={selected.rows} />}
        {row === null ? (
          <>
            <PlaceTitle folder={folder} />
            <FolderObject bucket={bucket} prefix={prefix} />
          </>
        ) : (
          <RowSections
            bucket={bucket}
            prefix={prefix}
            row={row}
            folder={folder}
            actions={actions}
          />
        )}
        {selection.count.value === 0 && (
          <FolderReadme key={prefix} bucket={bucket} prefix={prefix} />
        )}
      </div>
      <p class="visually-hidden" role="status">
        {selection.count.value > 0 && row !== null ? nameOf(row.key) : ''}
      </p>
    </aside>
  );
}

function currentKey({ list, selection }: FolderModel): string | null {
  const entry = list.row(selection.current.value);
  return entry === undefined ? null : keyOf(entry);
}

/** The value, once it has been the same for a moment. */
function useRested(row: SelectedRow | null): SelectedRow | null {
  const [rested, setRested] = useState(row);
  useEffect(() => {
    const timer = setTimeout(() => setRested(row), FOLLOWS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [row?.key, row?.bytes]);
  return rested;
}

function SelectionTitle({ rows }: { readonly rows: readonly SelectedRow[] }) {
  const { objects, bytes: sum, isKnown } = sumOf(rows);
  return (
    <div class="title sum">
      <b>{t().browse.selected(rows.length, count(rows.length))}</b>
      <span class="dim">
        {isKnown
          ? `${t().units.objects(objects, count(objects))} · ${bytes(sum)}`
          : t().browse.selectedUncounted}
      </span>
    </div>
  );
}

/** A link to the object that a folder itself is, where there is one: `a/` beside `a/b.txt`. */
function FolderObject({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }) {
  const first = useQuery(prefix === '' ? null : `folder ${bucket} ${prefix} own`, (signal) =>
    client.request('GET /buckets/{bucket}/objects', {
      path: { bucket },
      query: { prefix, limit: 1 },
      signal,
    }),
  );
  const [entry] = first.data.value?.items ?? [];
  if (entry === undefined || keyOf(entry) !== prefix) return null;
  return (
    <p class="folder-object">
      <a href={href(`${objectPath(bucket, '')}?key=${encodeURIComponent(prefix)}`)}>
        {t().browse.folderObject}
      </a>
    </p>
  );
}

function PlaceTitle({ folder: { bucket, prefix, sums } }: { readonly folder: FolderModel }) {
  return (
    <div class="title">
      <b>
        <bdi>{placeName(bucket, prefix)}</bdi>
      </b>
      <span class="dim">
        {sums === null ? (
          <Skeleton width={120} />
        ) : (
          `${t().units.objects(sums.objects, count(sums.objects))} · ${bytes(sums.bytes)}`
        )}
      </span>
    </div>
  );
}

type RowProps = InspectorProps & {
  readonly bucket: string;
  readonly prefix: string;
  readonly row: SelectedRow;
};

function RowSections({ bucket, row, folder, actions }: RowProps) {
  const { key, isFolder } = row;
  const texts = t().browse;
  const detail = useQuery(isFolder ? null : `object ${bucket} ${key} detail`, (signal) =>
    client.request('GET /buckets/{bucket}/object', { path: { bucket }, query: { key }, signal }),
  );
  const shown = actions.filter(({ id }) => /\.(?:download|copy-as)$/.test(id));
  const panel = query.value.get('panel');
  return (
    <>
      <Preview bucket={bucket} row={row} />
      <div class="title">
        <h2>
          <b>
            <bdi>{shownName(nameOf(key))}</bdi>
          </b>
        </h2>
        <span class="dim">
          {isFolder ? texts.folder : (detail.data.value?.contentType ?? texts.unknownKind)}
          {row.bytes !== null && (
            <>
              {' · '}
              <Bytes value={row.bytes} />
            </>
          )}
        </span>
      </div>
      <div class="actions">
        {shown.map(({ id, icon, label, run }) => (
          <Button
            key={id}
            kind="secondary"
            icon={icon}
            iconOnly={icon === Download}
            label={label}
            onClick={run}
          />
        ))}
        <Button
          kind="secondary"
          label={t().shell.more}
          onClick={(event) => openMenu(event, texts.actions, rowMenu(actions, folder))}
        />
      </div>
      {isFolder && <FolderObject bucket={bucket} prefix={key} />}
      <section ref={panel === 'readers' ? showSection : null}>
        <h3>{texts.whoCanRead}</h3>
        <Readers key={key} bucket={bucket} objectKey={key} />
      </section>
      {!isFolder && detail.data.value !== null && (
        <section ref={panel === 'versions' ? showSection : null}>
          <Versions key={key} bucket={bucket} objectKey={key} shown={detail.data.value} />
        </section>
      )}
      {!isFolder && (
        <section>
          <h3>{texts.details}</h3>
          {detail.error.value !== null ? (
            <Failure error={detail.error.value} onRetry={detail.reload} />
          ) : (
            <Details detail={detail.data.value} />
          )}
        </section>
      )}
    </>
  );
}

type PreviewProps = { readonly bucket: string; readonly row: SelectedRow };

/** Images by their thumbnail, which is small; all else by its viewer. */
function Preview({ bucket, row }: PreviewProps) {
  const { key, isFolder } = row;
  if (!isFolder && kindOf(key) !== 'image') {
    return (
      <div class="preview">
        <Viewer key={key} bucket={bucket} objectKey={key} compact />
      </div>
    );
  }
  const entry = isFolder ? { kind: 'folder' as const, prefix: key } : asEntry(row);
  return <Picture key={key} bucket={bucket} entry={entry} side={256} box="preview kind" />;
}

const showSection = (element: HTMLElement | null): void => element?.scrollIntoView();

const asEntry = ({ key, bytes: size }: SelectedRow) => ({
  kind: 'object' as const,
  key,
  size: `${size ?? 0}`,
  etag: '',
  lastModified: '',
  storageClass: '',
});
