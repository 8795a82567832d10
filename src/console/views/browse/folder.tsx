// The view of a folder: tool bar, list, inspector, status bar.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useCommands } from '../../app/commands.ts';
import { lazy } from '../../app/lazy.tsx';
import { noteVisit, placeOf } from '../../app/pinned.ts';
import { density } from '../../app/preferences.ts';
import { navigate, objectPath, query } from '../../app/router.ts';
import { exactCount } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Failure } from '../../ui/failure.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useDropTarget } from '../upload/ways-in.tsx';
import { dragRows } from './drag-rows.ts';
import { actionsOf, chosen, rowMenu } from './folder-actions.ts';
import { writeOrder } from './folder-address.ts';
import { COLUMNS, tracksOf } from './layout.ts';
import { Grid } from './list/grid.tsx';
import { ListHead } from './list/list-head.tsx';
import { addressOf, type RowLook, rowCells } from './list/row-cells.tsx';
import { type Entry, keyOf, nameIn } from './list/row-list.ts';
import { tileCells } from './list/tile-cells.tsx';
import { phone, useLines } from './list/use-lines.ts';
import { nameOf } from './selection.ts';
import { placeName, shownName } from './shown-name.ts';
import { StatusBar } from './status-bar.tsx';
import { ToolBar } from './tool-bar.tsx';
import { type FolderModel, noteTop, useFolder } from './use-folder.ts';
import { readSearch } from './use-search.ts';

const FolderCommands = lazy(() => import('./folder-commands.tsx'), {
  isOfFolder: true,
  takesKeys: true,
});
const EmptyFolder = lazy(() => import('./list/empty-folder.tsx'), { isOfFolder: true });
const NoMatch = lazy(() => import('./list/no-match.tsx'), { isOfFolder: true });
const FilterBar = lazy(() => import('./filter-bar.tsx'), { isOfFolder: true, takesKeys: true });
const Look = lazy(() => import('./look.tsx'), { takesKeys: true });
const Inspector = lazy(() => import('./inspector/inspector.tsx'));
const StorageMap = lazy(() => import('./storage-map/storage-map.tsx'));

// They come beside the rows and not after them: somebody may type at once.
for (const part of [FolderCommands, FilterBar, EmptyFolder, NoMatch]) part.preload();

type FolderProps = { readonly bucket: string; readonly prefix: string };

export function Folder({ bucket, prefix }: FolderProps) {
  const folder = useFolder(bucket, prefix);
  const actions = actionsOf(folder);
  const [isLooking, setLooking] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  useDropTarget(ref, bucket, prefix);
  const look = () => {
    const entry = folder.list.row(folder.selection.current.value);
    if (entry?.kind === 'object') setLooking(true);
  };
  useCommands(actions);
  useEffect(() => {
    const name = placeName(bucket, prefix);
    document.title = `${prefix === '' ? name : `${name} · ${bucket}`} · Quayside`;
  }, [bucket, prefix]);
  useEffect(() => {
    if (folder.isLoaded) noteVisit(placeOf(bucket, prefix));
  }, [bucket, prefix, folder.isLoaded]);

  const panel = query.value.get('panel');
  return (
    <div class="work" ref={ref}>
      <section class="pane" aria-label={placeName(bucket, prefix)}>
        <h1 class="visually-hidden">{placeName(bucket, prefix)}</h1>
        <ToolBar folder={folder} actions={actions} />
        {readSearch() !== null && <FilterBar folder={folder} />}
        {panel === 'map' ? (
          <StorageMap folder={folder} />
        ) : (
          <Content folder={folder} actions={actions} onLook={look} />
        )}
        <FolderCommands
          folder={folder}
          shown={{ look, open: (entry) => openEntry(folder, entry) }}
        />
        <StatusBar folder={folder} />
      </section>
      {panel !== null && panel !== 'map' && <Inspector folder={folder} actions={actions} />}
      {isLooking && <Look folder={folder} onClose={() => setLooking(false)} />}
    </div>
  );
}

/** Goes into a folder or to an object; from a search to its folder with the row selected. */
function openEntry({ bucket, search }: FolderModel, entry: Entry): void {
  if (search?.isDeep !== true) {
    navigate(addressOf(bucket, entry));
    return;
  }
  const key = keyOf(entry);
  const name = nameOf(key);
  const folder = objectPath(bucket, key.slice(0, key.length - name.length));
  const sel = encodeURIComponent(name.replaceAll('%', '%25').replaceAll(',', '%2C'));
  navigate(`${folder}${folder.includes('?') ? '&' : '?'}sel=${sel}`);
}

type ContentProps = {
  readonly folder: FolderModel;
  readonly actions: ReturnType<typeof actionsOf>;
  readonly onLook: () => void;
};

function Content({ folder, actions, onLook }: ContentProps) {
  const { error, isLoaded, list, search, reload, source } = folder;
  void list.version.value;
  void source.version.value;
  const failure = error ?? search?.error ?? source.error();
  if (failure !== null && (error !== null || list.count() === 0)) {
    return (
      <div class="list">
        <Failure error={failure} onRetry={error === null ? source.retry.bind(source) : reload} />
      </div>
    );
  }
  if (!isLoaded || (search?.isLoading === true && list.count() === 0)) return <SkeletonList />;
  if (list.count() === 0) {
    return search === null ? <EmptyFolder folder={folder} /> : <NoMatch folder={folder} />;
  }
  return (
    <>
      {failure !== null && <Failure error={failure} onRetry={() => source.retry()} />}
      <Rows folder={folder} actions={actions} onLook={onLook} />
    </>
  );
}

function Rows({ folder, actions, onLook }: ContentProps) {
  const { list, selection, view, layout, order, place, prefix, source, sizes } = folder;
  const texts = t().browse;
  void sizes.version.value;
  const { ref, linePx, perLine, headPx } = useLines(view, density.value);
  const { search, publicAccess } = folder;
  // A search does not say who reads what it found: an empty cell would mean nobody.
  const isUnsaid = search?.isDeep === true && publicAccess === 'some';
  const columns = COLUMNS.filter(
    (column) => layout.columns.includes(column) && !(column === 'readers' && isUnsaid),
  );
  const latest = useRef({ folder, actions });
  latest.current = { folder, actions };
  const cellsOf = view === 'list' ? rowCells : tileCells;
  const isPhone = phone.value;
  // Rows are drawn anew only when one of these changes, not with every step of a key.
  const row = useMemo(() => {
    const look = lookOf(latest, columns, isPhone);
    return (entry: Entry | undefined) => cellsOf(entry, look);
  }, [
    cellsOf,
    columns.join(),
    isPhone,
    search?.text,
    search?.isDeep,
    search?.isWholeBucket,
    publicAccess,
    sizes.version.value,
    texts,
  ]);
  const isBucketOrder = order.sort === 'name' && !source.isPeoplesOrder() && folder.search === null;
  const isCutShort = !source.isComplete() && folder.search === null;
  const orderNote = isBucketOrder ? texts.bucketOrder : isCutShort ? texts.firstNames : null;
  return (
    <div class="lines" ref={ref}>
      <Grid
        key={view}
        label={texts.contents(placeName(folder.bucket, prefix))}
        list={list}
        selection={selection}
        linePx={linePx}
        headPx={headPx}
        perLine={perLine}
        kind={view}
        tracks={tracksOf({ ...layout, columns })}
        handle={folder.grid}
        head={
          <ListHead
            place={place}
            layout={layout}
            columns={columns}
            order={order}
            selection={selection}
            orderNote={orderNote}
            onSort={writeOrder}
          />
        }
        row={row}
        order={`${source.isPeoplesOrder()}`}
        mark={(entry, index) => markOf(folder, entry, index)}
        onOpen={(entry) => openEntry(folder, entry)}
        onMenu={(event, under) => {
          const { folder, actions } = latest.current;
          openMenu(event, texts.actions, rowMenu(actions, folder), under);
        }}
        onDrag={(event) => dragRows(event, chosen(latest.current.folder))}
        onLook={onLook}
        onRest={(topIndex) => noteTop(folder, topIndex)}
        onSeen={(entries) => sizes.need(entries.filter(({ kind }) => kind === 'folder').map(keyOf))}
        onTooLong={() => showToast({ text: texts.rangeTooLong })}
      />
    </div>
  );
}

/** What the bubble says: the beginning of the name, or the date where dates sort. */
function markOf({ prefix, order }: FolderModel, entry: Entry | undefined, index: number): string {
  if (entry === undefined) return exactCount(index + 1);
  if (order.sort === 'modified' && entry.kind === 'object') {
    return entry.lastModified.slice(0, 10);
  }
  return shownName([...nameIn(prefix, entry)].slice(0, MARK_LENGTH).join(''));
}

/** Characters of a name in the bubble. */
const MARK_LENGTH = 12;

type Latest = { readonly current: { folder: FolderModel; actions: ContentProps['actions'] } };

function lookOf(latest: Latest, columns: RowLook['columns'], isPhone: boolean): RowLook {
  const { bucket, prefix, search, sizes, publicAccess } = latest.current.folder;
  return {
    bucket,
    prefix: search?.isWholeBucket === true ? '' : prefix,
    columns,
    isPhone,
    match: search?.text ?? '',
    isDeep: search?.isDeep === true,
    sizeOf: sizes.of,
    readersOf: (entry) => entry.readers ?? (publicAccess === 'read' ? 'everyone' : null),
  };
}

/** How long nothing is shown before lines stand in the place of rows, milliseconds. */
const SKELETON_AFTER_MS = 100;
const SKELETON_ROWS = 12;

function SkeletonList() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="list" role="status" aria-label={t().shell.loading}>
      {isShown &&
        Array.from({ length: SKELETON_ROWS }, (_, index) => (
          <div key={index} class="row skeleton-row" aria-hidden="true">
            <span class="skeleton" />
          </div>
        ))}
    </div>
  );
}
