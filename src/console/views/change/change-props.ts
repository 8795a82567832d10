// What every dialog of this folder is given.
import { type Selection, targetsOf } from '../browse/selection.ts';

export type ChangeProps = {
  readonly selection: Selection;
  readonly onClose: () => void;
  /** The target of a move or a copy, where it was chosen already: by a drop. */
  readonly to?: string | undefined;
  /** Called when what is selected went, or got other names. */
  readonly onDone?: () => void;
};

/** The selection as a job takes it; keys and prefixes all begin with the prefix. */
export function jobTargets(selection: Selection): {
  prefix: string;
  keys?: string[];
  prefixes?: string[];
} {
  const { prefix } = selection;
  if (selection.isAll) return { prefix };
  const { keys, prefixes } = targetsOf(selection);
  return {
    prefix,
    ...(keys.length === 0 ? {} : { keys }),
    ...(prefixes.length === 0 ? {} : { prefixes }),
  };
}
