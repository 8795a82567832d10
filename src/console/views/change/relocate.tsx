// The dialog of move and copy: a target by its path or by the tree, and what happens
// where a name is taken.

import { useState } from 'preact/hooks';
import { useBucketNames } from '../../api/bucket-names.ts';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { RadioField, SelectField, TextField } from '../../ui/field.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { nameOf, type Selection } from '../browse/selection.ts';
import { type ChangeProps, jobTargets } from './change-props.ts';
import { FolderTree } from './folder-tree.tsx';
import { runJob } from './run-job.ts';
import { useAct } from './use-act.ts';

type Conflict = 'refuse' | 'keep-both' | 'replace';
type RelocateProps = ChangeProps & { readonly kind: 'move' | 'copy' };

export function Relocate({ kind, selection, to, onClose, onDone }: RelocateProps) {
  const texts = t().change;
  const [bucket, setBucket] = useState(selection.bucket);
  const [target, setTarget] = useState(to ?? selection.prefix);
  const [conflict, setConflict] = useState<Conflict>('refuse');
  const act = useAct(onClose, kind === 'move' ? onDone : undefined);
  const names = new Set([selection.bucket, ...useBucketNames()]);
  const folder = target === '' || target.endsWith('/') ? target : `${target}/`;
  const problem = problemOf(selection, bucket, folder, kind);

  function begin(): void {
    if (problem !== null) return;
    const toBucket = bucket === selection.bucket ? {} : { toBucket: bucket };
    const task = { kind, ...jobTargets(selection), to: folder, conflict, ...toBucket };
    act.run(() => runJob(selection.bucket, task));
  }

  return (
    <ActDialog
      title={texts[kind === 'move' ? 'moveTitle' : 'copyTitle'](whatOf(selection))}
      width={560}
      onClose={onClose}
      onSubmit={begin}
      off={problem}
      act={act}
      label={kind === 'move' ? texts.moveHere : texts.copyHere}
    >
      <div class="two-fields">
        <SelectField
          label={texts.bucket}
          value={bucket}
          options={[...names].map((name) => ({ value: name, label: name }))}
          onChange={(name) => {
            setBucket(name);
            setTarget('');
          }}
        />
        <TextField
          label={t().browse.folder}
          value={target}
          onInput={setTarget}
          mono
          hint={texts.folderHint}
        />
      </div>
      <FolderTree key={bucket} bucket={bucket} value={folder} onChange={setTarget} />
      <RadioField<Conflict>
        legend={texts.whenTaken}
        name="conflict"
        value={conflict}
        onChange={setConflict}
        options={(['refuse', 'keep-both', 'replace'] as const).map((value) => {
          return { value, label: texts.conflicts[value] };
        })}
      />
      <PlainWords>
        {texts[kind === 'move' ? 'moveEffect' : 'copyEffect'](
          whatOf(selection),
          `${bucket}/${folder}`,
        )}
      </PlainWords>
    </ActDialog>
  );
}

function whatOf({ rows, isAll, prefix, bucket }: Selection): string {
  const [first] = rows;
  if (isAll) return t().change.everythingIn(`${bucket}/${prefix}`);
  if (rows.length === 1 && first !== undefined) return nameOf(first.key).replace(/\/$/, '');
  return t().change.items(count(rows.length));
}

function problemOf(
  selection: Selection,
  bucket: string,
  folder: string,
  kind: 'move' | 'copy',
): string | null {
  const texts = t().change;
  const { rows, prefix } = selection;
  const isSameBucket = bucket === selection.bucket;
  const isInside = rows.some(({ isFolder, key }) => isFolder && folder.startsWith(key));
  if (isSameBucket && isInside) return texts.intoItself;
  return isSameBucket && kind === 'move' && folder === prefix ? texts.alreadyThere : null;
}
