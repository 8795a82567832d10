// Dialogs of the trash: restore elsewhere, empty for good, how long it keeps.
import { Clock, FolderInput, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { invalidate } from '../../api/query.ts';
import { bytes, count, smallMoney } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { runJob, runJobToEnd } from '../change/run-job.ts';
import { useAct } from '../change/use-act.ts';
import type { TrashBucket } from './trash.tsx';

/** Source: the API's schema of the trash. */
const DAYS_MAX = 3650;

type RestoreToProps = {
  readonly bucket: string;
  readonly keys: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
};

/** What all keys begin with, up to a slash: it is what the new folder replaces. */
function commonFolder(keys: readonly string[]): string {
  const [first = ''] = keys;
  let end = first.lastIndexOf('/') + 1;
  while (end > 0 && !keys.every((key) => key.startsWith(first.slice(0, end)))) {
    end = end === 1 ? 0 : first.lastIndexOf('/', end - 2) + 1;
  }
  return first.slice(0, end);
}

export function RestoreToDialog({ bucket, keys, onClose, onDone }: RestoreToProps) {
  const texts = t().trash;
  const [folder, setFolder] = useState('');
  const act = useAct(() => {
    onClose();
    onDone();
  });
  const objects = t().units.objects(keys.length, count(keys.length));
  const to = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  const restore = () =>
    act.run(async () => {
      if (to === '') throw new Error(texts.folderMissing);
      const prefix = commonFolder(keys);
      const targets = { prefix, keys: [...keys] };
      await runJobToEnd(bucket, { kind: 'restore', ...targets });
      await runJob(bucket, { kind: 'move', to, conflict: 'keep-both', ...targets });
    });
  return (
    <ActDialog
      title={texts.restoreToTitle(objects)}
      isDirty={folder !== ''}
      onClose={onClose}
      onSubmit={restore}
      icon={FolderInput}
      label={texts.restoreCount(objects)}
      act={{ isBusy: act.isBusy }}
    >
      <TextField
        label={t().browse.folder}
        value={folder}
        onInput={setFolder}
        hint={texts.folderHint}
        error={act.error}
        mono
        autofocus
      />
      <PlainWords>{texts.restoreToWords(`${bucket}/${to}`)}</PlainWords>
    </ActDialog>
  );
}

type EmptyProps = {
  readonly bucket: TrashBucket;
  /** null: all that is in the trash. */
  readonly keys: readonly string[] | null;
  readonly onClose: () => void;
};

export function EmptyDialog({ bucket, keys, onClose }: EmptyProps) {
  const texts = t().trash;
  const { name, totals } = bucket;
  const [typed, setTyped] = useState('');
  const act = useAct(onClose);
  const objects = t().units.objects(keys?.length ?? 0, count(keys?.length ?? 0));
  const empty = () => {
    if (typed !== name) return;
    act.run(() =>
      runJob(name, {
        kind: 'empty-trash',
        prefix: '',
        ...(keys === null ? {} : { keys: [...keys] }),
      }),
    );
  };
  return (
    <ActDialog
      title={keys === null ? texts.emptyTitle(name) : texts.emptyChosen(objects)}
      onClose={onClose}
      onSubmit={empty}
      kind="danger"
      icon={Trash2}
      label={t().object.deleteForGood}
      off={typed === name ? null : texts.typeName(name)}
      act={act}
    >
      <PlainWords tone="lose">
        {keys === null
          ? texts.allWords(name, bytes(totals?.noncurrent.bytes ?? 0))
          : texts.emptyWords(objects)}
      </PlainWords>
      <TextField label={texts.typeName(name)} value={typed} onInput={setTyped} mono />
    </ActDialog>
  );
}

type DaysProps = {
  readonly bucket: TrashBucket;
  readonly days: number | null;
  readonly onClose: () => void;
};

/** Cost of the deleted and older bytes: their share of the bucket's month. */
function monthOf({ totals }: TrashBucket): string | null {
  if (totals === null || totals === undefined) return null;
  const kept = Number(totals.noncurrent.bytes);
  const all = kept + Number(totals.current.bytes) + Number(totals.uploads.bytes);
  if (kept === 0 || all === 0) return null;
  const micro = (Number(totals.perMonthMicro) * kept) / all;
  return t().trash.costs(bytes(kept), smallMoney(micro, totals.currency));
}

export function DaysDialog({ bucket, days, onClose }: DaysProps) {
  const texts = t().trash;
  const { name } = bucket;
  const [typed, setTyped] = useState(days === null ? '' : String(days));
  const act = useAct(onClose);
  const value = typed.trim() === '' ? null : Number(typed);
  const isValid = value === null || (Number.isInteger(value) && value >= 1 && value <= DAYS_MAX);
  const month = monthOf(bucket);
  const save = () => {
    if (!isValid) return;
    act.run(async () => {
      await client.trash.setSettings(name, { body: { days: value }, ifMatch: '*' });
      invalidate(`trash ${name}`);
      invalidate('buckets');
    });
  };
  return (
    <ActDialog
      title={texts.daysTitle(name)}
      isDirty={typed !== (days === null ? '' : String(days))}
      onClose={onClose}
      onSubmit={save}
      icon={Clock}
      label={t().shell.save}
      act={act}
    >
      <TextField
        label={texts.daysLabel}
        type="number"
        value={typed}
        onInput={setTyped}
        min={1}
        max={DAYS_MAX}
        hint={texts.daysHint}
        error={isValid ? null : texts.daysInvalid}
        autofocus
      />
      <PlainWords>
        {value === null || !isValid ? texts.daysNone : texts.daysWords(t().change.days(value))}{' '}
        {month}
      </PlainWords>
    </ActDialog>
  );
}
