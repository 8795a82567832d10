// Other views that a folder opens, each loaded when it is first used: the dialogs that
// change something, the viewer, who can read, versions, uploads, the object's page. A
// part that this build does not have is null, and what needs it is not offered.
import type { ComponentType } from 'preact';
import { client, QuaysideError } from '../../api/client.ts';
import { lazy } from '../../app/lazy.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import type { Selection } from './selection.ts';

export type ChangeProps = {
  readonly selection: Selection;
  readonly onClose: () => void;
  /** The folder that rows were dropped on: the target to begin with. */
  readonly to?: string;
};
type ObjectProps = { readonly bucket: string; readonly objectKey: string };
type Loaded<Props> = { default: ComponentType<Props> };

/** The component of a part, loaded when it is first shown; null: there is no such part. */
function partOf<Module, Props extends object>(
  parts: Readonly<Record<string, () => Promise<Module>>>,
  choose: (module: Module) => ComponentType<Props>,
): ComponentType<Props> | null {
  const [load] = Object.values(parts);
  if (load === undefined) return null;
  return lazy(() => load().then((module) => ({ default: choose(module) })));
}

export const ObjectPage = lazy(() => import('../object/object.tsx'));
export const Viewer = lazy(() =>
  import('../viewers/viewer.tsx').then((module) => ({ default: module.Viewer })),
);
export const FolderReadme = lazy(() =>
  import('../viewers/page/readme.tsx').then((module) => ({ default: module.FolderReadme })),
);
export const Versions = lazy(() =>
  import('../object/versions.tsx').then((module) => ({ default: module.Versions })),
);
export const Readers = partOf(
  import.meta.glob<{ Readers: ComponentType<ObjectProps> }>('../access/readers.tsx'),
  (module) => module.Readers,
);
type QuickLookProps = ObjectProps & {
  readonly onClose: () => void;
  readonly onWalk: (step: 1 | -1) => void;
};
export const QuickLook = partOf(
  import.meta.glob<Loaded<QuickLookProps>>('../viewers/quick-look.tsx'),
  (module) => module.default,
);

const edit = partOf(
  import.meta.glob<Loaded<ChangeProps>>('../change/edit.tsx'),
  (module) => module.default,
);
const CHANGES = {
  rename: lazy<ChangeProps>(() => import('../change/rename.tsx')),
  move: lazy<ChangeProps>(() => import('../change/move.tsx')),
  copy: lazy<ChangeProps>(() => import('../change/copy.tsx')),
  delete: lazy<ChangeProps>(() => import('../change/delete.tsx')),
  'new-folder': lazy<ChangeProps>(() => import('../change/new-folder.tsx')),
  edit,
} as const;

export type Change = keyof typeof CHANGES;
export const canChange = (change: Change): boolean => CHANGES[change] !== null;

/** Opens the dialog of a change. */
export function openChange(change: Change, selection: Selection, to?: string): void {
  const Component = CHANGES[change];
  if (Component === null) return;
  openDialog((close) => (
    <Component selection={selection} onClose={close} {...(to === undefined ? {} : { to })} />
  ));
}

/** Lets the browser save objects: one by itself, more as one ZIP. */
export async function download({ bucket, prefix, rows, isAll }: Selection): Promise<void> {
  const [row] = rows;
  const isOne = !isAll && rows.length === 1 && row?.isFolder === false;
  if (isOne && row !== undefined) {
    saveAs(contentUrl(bucket, row.key, true));
    return;
  }
  const keys = rows.filter(({ isFolder }) => !isFolder).map(({ key }) => key);
  const prefixes = rows.filter(({ isFolder }) => isFolder).map(({ key }) => key);
  const { url } = await client.request('POST /buckets/{bucket}/zips', {
    path: { bucket },
    body: isAll ? { base: prefix, prefixes: [prefix] } : { base: prefix, keys, prefixes },
  });
  saveAs(url);
}

/** The address of an object's bytes for who is signed in. */
export function contentUrl(bucket: string, key: string, isSaved = false): string {
  const path = `/-/api/v1/buckets/${encodeURIComponent(bucket)}/content`;
  return `${path}?key=${encodeURIComponent(key)}${isSaved ? '&download=1' : ''}`;
}

function saveAs(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}

export const isAborted = (error: unknown): boolean =>
  !(error instanceof QuaysideError) && error instanceof DOMException && error.name === 'AbortError';
