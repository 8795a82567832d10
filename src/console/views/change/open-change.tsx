// Opens the dialogs that change what is selected, each loaded when it is first used.
import { lazy } from '../../app/lazy.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import type { Selection } from '../browse/selection.ts';
import type { ChangeProps } from './change-props.ts';

/** What is typed after their keys is for them. */
const dialog = { takesKeys: true };
const CHANGES = {
  rename: lazy<ChangeProps>(() => import('./rename.tsx'), dialog),
  move: lazy<ChangeProps>(() => import('./move.tsx'), dialog),
  copy: lazy<ChangeProps>(() => import('./copy.tsx'), dialog),
  edit: lazy<ChangeProps>(() => import('./edit.tsx'), dialog),
  delete: lazy<ChangeProps>(() => import('./delete.tsx'), dialog),
  'new-folder': lazy<ChangeProps>(() => import('./new-folder.tsx'), dialog),
  share: lazy<ChangeProps>(() => import('../links/share.tsx'), dialog),
  ask: lazy<ChangeProps>(() => import('../links/drop.tsx'), dialog),
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
