// The versions of an object as a timeline: each can be shown, compared, restored,
// and deleted for good; the older ones together, with their count and bytes.
import { Ellipsis, GitCompare, History, RotateCcw, Trash2 } from 'lucide';
import type { ObjectDetail, ObjectVersion } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { lazy } from '../../app/lazy.tsx';
import { setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Bytes, Time } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { DeleteOlder } from './delete-older.tsx';
import { folderOf } from './neighbours.ts';

const DeleteForGood = lazy(() => import('./delete-for-good.tsx'));
const Compare = lazy(() => import('../compare/compare.tsx'));

/** Versions that the timeline shows at most. */
const SHOWN_MAX = 1000;

type VersionsProps = {
  readonly bucket: string;
  readonly objectKey: string;
  /** The version that is shown. */
  readonly shown: ObjectDetail;
};

/** Reads the history of a key, the latest first. */
export const useVersions = (bucket: string, key: string) =>
  useQuery(`object ${bucket} ${key} versions`, async (signal) => {
    const page = await client.request('GET /buckets/{bucket}/versions', {
      path: { bucket },
      query: { key, limit: SHOWN_MAX },
      signal,
    });
    return { items: page.items, isWhole: page.nextCursor === null };
  });

/** Reads again whatever shows this object. */
export function refreshObject(bucket: string, key: string): void {
  invalidate(`object ${bucket} ${key} `);
  invalidate(`folder ${bucket} ${folderOf(key)}`);
}

export function Versions({ bucket, objectKey: key, shown }: VersionsProps) {
  const texts = t().object.versions;
  const query = useVersions(bucket, key);
  const versions = query.data.value?.items ?? null;
  const contents = versions?.filter(({ isDeleteMarker }) => !isDeleteMarker) ?? [];
  const openCompare = (left: ObjectVersion, right: ObjectVersion) =>
    openDialog((close) => (
      <Compare
        left={{ bucket, key, versionId: left.versionId }}
        right={{ bucket, key, versionId: right.versionId }}
        onClose={close}
      />
    ));
  const [newest, second] = contents;
  return (
    <>
      <h2>
        {texts.title}
        {newest !== undefined && second !== undefined && (
          <Button
            icon={GitCompare}
            label={t().viewers.compare.title}
            onClick={() => openCompare(second, newest)}
          />
        )}
      </h2>
      <Waiting of={query} width={180} />
      {versions !== null && (
        <ol class="versions">
          {versions.map((version, index) => (
            <Version
              key={version.versionId}
              bucket={bucket}
              version={version}
              before={contents[contents.indexOf(version) + 1] ?? null}
              isFirst={index === versions.length - 1}
              isShown={version.versionId === shown.versionId}
              newest={newest ?? null}
              onCompare={openCompare}
            />
          ))}
        </ol>
      )}
      {query.data.value?.isWhole === false && <p class="hint">{texts.cut(SHOWN_MAX)}</p>}
      {versions !== null && versions.length > 1 && may('objects:write') && (
        <Button
          icon={Trash2}
          label={texts.deleteOlder}
          onClick={() =>
            openDialog((close) => (
              <DeleteOlder bucket={bucket} objectKey={key} versions={versions} onClose={close} />
            ))
          }
        />
      )}
    </>
  );
}

type VersionProps = {
  readonly bucket: string;
  readonly version: ObjectVersion;
  /** The one that it took the place of. */
  readonly before: ObjectVersion | null;
  readonly isFirst: boolean;
  readonly isShown: boolean;
  readonly newest: ObjectVersion | null;
  readonly onCompare: (left: ObjectVersion, right: ObjectVersion) => void;
};

function Version(props: VersionProps) {
  const { bucket, version, before, isFirst, isShown, newest, onCompare } = props;
  const texts = t().object.versions;
  const { key, versionId, isDeleteMarker, isLatest } = version;
  const what = isDeleteMarker
    ? texts.deleted
    : isFirst
      ? texts.first
      : before !== null && before.etag === version.etag
        ? texts.factsChanged
        : texts.replaced;

  const menu = (): readonly MenuItem[] => {
    const compared = newest !== null && newest !== version && !isDeleteMarker;
    const reading: MenuItem[] = isDeleteMarker
      ? []
      : [
          {
            label: t().jobs.show,
            icon: History,
            run: () => setQuery({ version: isLatest ? null : versionId }),
          },
        ];
    if (compared) {
      reading.push({
        label: texts.compareNow,
        icon: GitCompare,
        run: () => onCompare(version, newest),
      });
    }
    if (before !== null) {
      reading.push({
        label: texts.compareBefore,
        icon: GitCompare,
        run: () => onCompare(before, version),
      });
    }
    if (!may('objects:write')) return reading;
    if (!isLatest && !isDeleteMarker) {
      reading.push({
        label: texts.restore,
        icon: RotateCcw,
        run: () => void restore(bucket, version),
      });
    }
    const remove = () =>
      openDialog((close) => (
        <DeleteForGood
          bucket={bucket}
          objectKey={key}
          versionId={versionId}
          onClose={close}
          onDeleted={() => {
            setQuery({ version: null });
            refreshObject(bucket, key);
          }}
        />
      ));
    return [
      ...reading,
      'rule',
      { label: t().object.deleteForGood, icon: Trash2, isDanger: true, run: remove },
    ];
  };

  return (
    <li class={isLatest ? 'now' : undefined} aria-current={isShown ? 'true' : undefined}>
      <span class="cut">
        {isDeleteMarker ? (
          <Time at={version.lastModified} />
        ) : (
          <button
            type="button"
            class="version-link"
            onClick={() => setQuery({ version: isLatest ? null : versionId }, { replace: false })}
          >
            {isLatest && `${texts.now}, `}
            <Time at={version.lastModified} />
          </button>
        )}
        <span class="version-what cut">{what}</span>
      </span>
      <span class="dim version-end">
        {!isDeleteMarker && <Bytes value={version.size} />}
        <Button
          icon={Ellipsis}
          iconOnly
          label={texts.more}
          onClick={(event) => openMenu(event, texts.more, menu())}
        />
      </span>
    </li>
  );
}

/** Makes an older version the current one, with Undo: the new version goes again. */
async function restore(bucket: string, { key, versionId }: ObjectVersion): Promise<void> {
  const texts = t().object.versions;
  try {
    const made = await client.request('POST /buckets/{bucket}/object/restore', {
      path: { bucket },
      body: { key, versionId },
    });
    setQuery({ version: null });
    refreshObject(bucket, key);
    const undo = async () => {
      try {
        await client.request('DELETE /buckets/{bucket}/object', {
          path: { bucket },
          query: { key, versionId: made.versionId },
        });
        refreshObject(bucket, key);
      } catch (error) {
        showToast({ text: errorLine(error) });
      }
    };
    showToast({ text: texts.restored, undo: () => void undo() });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
}
