// Rename: one row by its name; several by a pattern, with each new name shown before.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { nameOf, type SelectedRow } from '../browse/selection.ts';
import type { ChangeProps } from './change-props.ts';
import { RenameMany } from './rename-many.tsx';
import { renameFolder, renameOne } from './run-job.ts';
import { useAct } from './use-act.ts';

type RenameProps = ChangeProps & {
  /** Called with the key that the object has now, also after Undo. */
  readonly onMoved?: (key: string) => void;
};

export default function Rename(props: RenameProps) {
  const { rows, isAll } = props.selection;
  const [only] = rows;
  if (only === undefined || rows.length > 1 || isAll) return <RenameMany {...props} />;
  return <RenameOne row={only} {...props} />;
}

type RenameOneProps = RenameProps & { readonly row: SelectedRow };

function RenameOne({ selection, row, onClose, onDone, onMoved = () => {} }: RenameOneProps) {
  const texts = t().change;
  const before = nameOf(row.key).replace(/\/$/, '');
  const [name, setName] = useState(before);
  const input = useRef<HTMLInputElement>(null);
  const act = useAct(onClose, onDone);
  const problem = problemOf(name, row.isFolder);

  useLayoutEffect(() => {
    // The extension stays: only what stands before it is selected.
    const end = row.isFolder ? -1 : before.lastIndexOf('.');
    input.current?.focus();
    input.current?.setSelectionRange(0, end > 0 ? end : before.length);
  }, []);

  function rename(): void {
    if (problem !== null) return;
    if (name === before) {
      onClose();
      return;
    }
    const parent = row.key.slice(0, row.key.length - nameOf(row.key).length);
    const to = `${parent}${name}${row.isFolder ? '/' : ''}`;
    act.run(async () => {
      const { bucket } = selection;
      if (row.isFolder) return renameFolder(bucket, row.key, to);
      await renameOne(bucket, row.key, to, () => onMoved(row.key));
      onMoved(to);
    });
  }

  return (
    <ActDialog
      title={texts.renameTitle(before)}
      isDirty={name !== before}
      onClose={onClose}
      onSubmit={rename}
      label={texts.rename}
      act={act}
    >
      <TextField
        label={t().browse.name}
        value={name}
        onInput={setName}
        inputRef={input}
        error={problem}
        hint={row.isFolder ? texts.renameFolderHint : texts.renameHint}
      />
    </ActDialog>
  );
}

/** S3's longest key, bytes. */
const KEY_MAX_BYTES = 1024;

/** Why a name can't be one; null: it can. */
export function problemOf(name: string, isFolder: boolean): string | null {
  const texts = t().change;
  if (name === '') return texts.nameEmpty;
  if (isFolder && (name === '.' || name === '..')) return texts.nameDots;
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//')) return texts.nameSlashes;
  return new TextEncoder().encode(name).length > KEY_MAX_BYTES ? texts.nameLong : null;
}
