// Other views that a folder opens, each loaded when it is first used: the dialogs that
// change something, the viewer, who can read, versions, the object's page.
import { lazy } from '../../app/lazy.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import type { ChangeProps } from '../change/change-props.ts';
import type { Selection } from './selection.ts';

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
export const Readers = lazy(() =>
  import('../access/readers.tsx').then((module) => ({ default: module.Readers })),
);
export const QuickLook = lazy(() => import('../viewers/quick-look.tsx'));

const CHANGES = {
  rename: lazy<ChangeProps>(() => import('../change/rename.tsx')),
  move: lazy<ChangeProps>(() => import('../change/move.tsx')),
  copy: lazy<ChangeProps>(() => import('../change/copy.tsx')),
  edit: lazy<ChangeProps>(() => import('../change/edit.tsx')),
  delete: lazy<ChangeProps>(() => import('../change/delete.tsx')),
  'new-folder': lazy<ChangeProps>(() => import('../change/new-folder.tsx')),
} as const;

export type Change = keyof typeof CHANGES;

type ChangeOptions = {
  /** The folder that rows were dropped on. */
  readonly to?: string | undefined;
  /** Called when what is selected went, or got other names. */
  readonly onDone?: () => void;
};

/** Opens the dialog of a change. */
export function openChange(
  change: Change,
  selection: Selection,
  options: ChangeOptions = {},
): void {
  const Component = CHANGES[change];
  openDialog((close) => <Component selection={selection} onClose={close} {...options} />);
}
