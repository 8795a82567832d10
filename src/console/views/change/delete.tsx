// Delete: what is small and goes to the trash is deleted at once, with Undo; else a
// dialog says what goes, whether it comes back, and what that saves.
import { Trash2 } from 'lucide';
import { useEffect } from 'preact/hooks';
import { bytes, count, smallMoney } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { PlainWords, Skeleton } from '../../ui/small.tsx';
import { nameOf, type Selection } from '../browse/selection.ts';
import { type ChangeProps, jobTargets } from './change-props.ts';
import { type Preview, usePreview } from './preview.ts';
import { runJob } from './run-job.ts';
import { type Act, useAct } from './use-act.ts';

/** Objects that are deleted without a dialog at most, when they go to the trash. */
const AT_ONCE_MAX = 100;

export default function Delete({ selection, onClose, onDone }: ChangeProps) {
  const preview = usePreview(selection);
  const act = useAct(onClose, onDone);
  const found = preview.data.value;
  const isSmall = found?.goesToTrash === true && found.isComplete && found.objects <= AT_ONCE_MAX;
  const remove = () =>
    act.run(() => runJob(selection.bucket, { kind: 'delete', ...jobTargets(selection) }));
  useEffect(() => {
    if (isSmall) remove();
  }, [isSmall]);

  if (isSmall && act.error === null) return null;
  if (found === null && preview.error.value === null) return null;
  return (
    <DeleteDialog
      selection={selection}
      preview={found}
      failure={preview.error.value}
      act={act}
      onRetry={preview.reload}
      onClose={onClose}
      onDelete={remove}
    />
  );
}

type DeleteDialogProps = {
  readonly selection: Selection;
  readonly preview: Preview | null;
  readonly failure: unknown;
  readonly act: Act;
  readonly onRetry: () => void;
  readonly onClose: () => void;
  readonly onDelete: () => void;
};

function DeleteDialog(props: DeleteDialogProps) {
  const { selection, preview, failure, act, onRetry, onClose, onDelete } = props;
  const texts = t().change;
  const objects = t().units.objects(preview?.objects ?? 0, count(preview?.objects ?? 0));
  return (
    <ActDialog
      title={titleOf(selection)}
      onClose={onClose}
      onSubmit={onDelete}
      kind="danger"
      icon={Trash2}
      act={act}
      off={preview === null ? texts.counting : null}
      label={
        preview?.goesToTrash === false ? texts.deleteForGood(objects) : texts.deleteObjects(objects)
      }
    >
      {preview === null && failure !== null && <Failure error={failure} onRetry={onRetry} />}
      {preview === null && failure === null && <Skeleton width={280} />}
      {preview !== null && <Effect preview={preview} bucket={selection.bucket} objects={objects} />}
    </ActDialog>
  );
}

type EffectProps = {
  readonly preview: Preview;
  readonly bucket: string;
  readonly objects: string;
};

function Effect({ preview, bucket, objects }: EffectProps) {
  const texts = t().change;
  const { goesToTrash, trashDays, savedMicro, currency, isComplete } = preview;
  const what = `${objects} (${bytes(preview.bytes)})`;
  const days = trashDays === null ? texts.untilRules : texts.days(trashDays);
  return (
    <>
      <PlainWords tone="lose">
        {goesToTrash ? texts.toTrash(what, bucket, days) : texts.forGood(what)}
      </PlainWords>
      {!isComplete && <p class="dim">{texts.notAllCounted}</p>}
      {savedMicro !== null && (
        <dl class="effects">
          <div>
            <dt>{texts.saves}</dt>
            <dd>{t().units.aMonth(smallMoney(savedMicro, currency))}</dd>
          </div>
        </dl>
      )}
    </>
  );
}

function titleOf({ rows, isAll, prefix }: Selection): string {
  const texts = t().change;
  const [first] = rows;
  if (isAll) return texts.deleteAll(prefix);
  if (rows.length === 1 && first !== undefined) {
    const name = nameOf(first.key);
    return first.isFolder ? texts.deleteFolder(name.replace(/\/$/, '')) : texts.deleteOne(name);
  }
  return texts.deleteMany(count(rows.length));
}
