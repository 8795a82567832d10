// The page of one object: its content first, then what is known of it and what can
// be done with it. ← → walk the folder, Esc goes back to it.
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide';
import { Fragment } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ObjectDetail } from 'quayside/client';
import { useCommands } from '../../app/commands.ts';
import { href, navigate, objectPath, query, readObjectPath } from '../../app/router.ts';
import { PathUp, TopBar } from '../../app/top-bar.tsx';
import { exactCount } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { nameOf } from '../browse/selection.ts';
import { Lead, Measured } from '../viewers/frame.tsx';
import { useObject, Viewer } from '../viewers/viewer.tsx';
import { useObjectActions } from './actions.tsx';
import { Inspector } from './inspector.tsx';
import { folderOf, type Neighbours, preload, useNeighbours } from './neighbours.ts';

export default function ObjectPage() {
  const { bucket, key } = readObjectPath();
  return <OneObject key={`${bucket} ${key}`} bucket={bucket} objectKey={key} />;
}

/** The address of the folder with the object's row selected. */
export function folderAddress(bucket: string, key: string, sort: string | null): string {
  // The folder's list of names has commas between them: browse/folder-address.ts.
  const name = nameOf(key).replaceAll('%', '%25').replaceAll(',', '%2C');
  const search = new URLSearchParams({ sel: name });
  if (sort !== null) search.set('sort', sort);
  const folder = objectPath(bucket, folderOf(key));
  return `${folder}${folder.includes('?') ? '&' : '?'}${search}`;
}

/** The address of another object of the folder, in the same order. */
function neighbourAddress(bucket: string, key: string, sort: string | null): string {
  const to = objectPath(bucket, key);
  if (sort === null) return to;
  return `${to}${to.includes('?') ? '&' : '?'}sort=${encodeURIComponent(sort)}`;
}

type OneProps = { readonly bucket: string; readonly objectKey: string };

function OneObject({ bucket, objectKey: key }: OneProps) {
  const sort = query.value.get('sort');
  const versionId = query.value.get('version') ?? undefined;
  const detail = useObject(bucket, key, versionId);
  const facts = detail.data.value;
  const neighbours = useNeighbours(bucket, key, sort);
  const { previous, next } = neighbours;

  useEffect(() => {
    document.title = `${nameOf(key)} · Quayside`;
  }, [key]);
  useEffect(() => {
    for (const one of [next, previous]) if (one !== null) void preload(bucket, one);
  }, [previous, next]);

  const walk = (to: string | null) => {
    if (to !== null) navigate(neighbourAddress(bucket, to, sort), { replace: true });
  };
  const leave = () => {
    // Esc closes what is open above the page before it leaves the page.
    if (document.querySelector('.menu:popover-open') === null)
      navigate(folderAddress(bucket, key, sort));
  };
  const texts = t().object;
  useCommands([
    {
      id: 'object.next',
      label: texts.next,
      keys: ['ArrowRight'],
      off: next === null ? texts.isLast : undefined,
      run: () => walk(next),
    },
    {
      id: 'object.previous',
      label: texts.previous,
      keys: ['ArrowLeft'],
      off: previous === null ? texts.isFirst : undefined,
      run: () => walk(previous),
    },
    {
      id: 'object.back',
      label: texts.back,
      keys: ['Escape', 'Backspace', 'Mod+ArrowUp'],
      run: leave,
    },
  ]);

  return (
    <>
      <TopBar>
        <ObjectPathBar bucket={bucket} objectKey={key} sort={sort} />
      </TopBar>
      {facts === null && detail.error.value !== null ? (
        <Failure error={detail.error.value} onRetry={detail.reload} />
      ) : (
        <Content
          bucket={bucket}
          objectKey={key}
          versionId={versionId}
          facts={facts}
          neighbours={neighbours}
          onWalk={walk}
          onLeave={leave}
        />
      )}
    </>
  );
}

type ContentProps = OneProps & {
  readonly versionId: string | undefined;
  readonly facts: ObjectDetail | null;
  readonly neighbours: Neighbours;
  readonly onWalk: (to: string | null) => void;
  readonly onLeave: () => void;
};

function Content(props: ContentProps) {
  const { bucket, objectKey: key, versionId, facts, neighbours, onWalk, onLeave } = props;
  const { previous, next, position, total } = neighbours;
  const texts = t().object;
  const [measure, setMeasure] = useState<string | null>(null);
  const onMeasured = useMemo(
    () => (found: { readonly measure?: string }) => setMeasure(found.measure ?? null),
    [],
  );
  const actions = useObjectActions(bucket, key, facts, { next: next ?? previous, onWalk, onLeave });
  const place =
    position === null
      ? ''
      : texts.placeOf(exactCount(position), total === null ? null : exactCount(total));
  const steps = (
    <>
      <Button
        icon={ChevronLeft}
        iconOnly
        label={texts.previous}
        keys="←"
        off={previous === null ? texts.isFirst : null}
        onClick={() => onWalk(previous)}
      />
      <Button
        icon={ChevronRight}
        iconOnly
        label={texts.next}
        keys="→"
        off={next === null ? texts.isLast : null}
        onClick={() => onWalk(next)}
      />
    </>
  );
  const lead = (
    <>
      <Button icon={ArrowLeft} iconOnly wide label={texts.back} keys="Esc" onClick={onLeave} />
      {steps}
      <span class="dim wide">{place}</span>
    </>
  );
  return (
    <div class="work object-page">
      <div class="pane">
        <Lead.Provider value={lead}>
          <Measured.Provider value={onMeasured}>
            {facts !== null && (
              <Viewer bucket={bucket} objectKey={key} versionId={versionId} facts={facts} />
            )}
          </Measured.Provider>
        </Lead.Provider>
      </div>
      <Inspector
        bucket={bucket}
        objectKey={key}
        facts={facts}
        measure={measure}
        actions={actions}
      />
    </div>
  );
}

type PathProps = OneProps & { readonly sort: string | null };

/** Links to the bucket and each folder above the object. */
function ObjectPathBar({ bucket, objectKey: key, sort }: PathProps) {
  const segments = folderOf(key).split('/').slice(0, -1);
  const { path, up } = t().object;
  const folders = segments.map((name, index) => ({
    name,
    to: objectPath(bucket, `${segments.slice(0, index + 1).join('/')}/`),
  }));
  return (
    <nav class="path" aria-label={path}>
      <PathUp to={folderAddress(bucket, key, sort)} label={up} />
      <a href={href(objectPath(bucket, ''))}>
        <bdi>{bucket}</bdi>
      </a>
      {folders.map(({ name, to }) => (
        <Fragment key={to}>
          <span class="sep">/</span>
          <a href={href(to)}>
            <bdi>{name}</bdi>
          </a>
        </Fragment>
      ))}
      <span class="sep">/</span>
      <b aria-current="page" title={key}>
        <bdi>{nameOf(key)}</bdi>
      </b>
    </nav>
  );
}
