// Empties a bucket as a job: to its trash, or for good with all versions.
import { Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { bytes, count, smallMoney } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { RadioField, TextField } from '../../ui/field.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { runJob } from '../change/run-job.ts';
import { useAct } from '../change/use-act.ts';
import { type ListedBucket, useListed } from './bucket-list.ts';

type Way = 'trash' | 'all';

type EmptyProps = { readonly bucket: string; readonly onClose: () => void };

export default function EmptyBucket({ bucket, onClose }: EmptyProps) {
  const texts = t().buckets.danger;
  const listed = useListed(bucket);
  const [way, setWay] = useState<Way>('trash');
  const [typed, setTyped] = useState('');
  const act = useAct(onClose);
  const totals = listed.data.value?.totals ?? null;
  const keepsVersions = totals?.versioning === 'enabled';
  const isForGood = way === 'all' || !keepsVersions;
  const isConfirmed = !isForGood || typed === bucket;
  const objects = totals?.current.objects ?? 0;

  function empty(): void {
    if (!isConfirmed || totals === null) return;
    const task = { kind: 'empty', allVersions: isForGood, confirm: bucket } as const;
    act.run(() => runJob(bucket, task));
  }

  return (
    <ActDialog
      title={texts.emptyTitle(bucket)}
      isDirty={typed !== ''}
      onClose={onClose}
      onSubmit={empty}
      kind="danger"
      icon={Trash2}
      act={act}
      off={totals === null ? t().change.counting : isConfirmed ? null : texts.typeFirst}
      label={
        isForGood
          ? texts.removeForGood(t().units.objects(objects, count(objects)))
          : texts.toTrash(t().units.objects(objects, count(objects)))
      }
    >
      <Waiting of={listed} width={280} />
      {totals !== null && (
        <>
          {keepsVersions && (
            <RadioField
              legend={texts.how}
              name="way"
              value={way}
              onChange={setWay}
              options={[
                { value: 'trash', label: texts.wayTrash, hint: texts.wayTrashHint },
                { value: 'all', label: texts.wayAll, hint: texts.wayAllHint },
              ]}
            />
          )}
          <PlainWords tone="lose">{isForGood ? texts.emptyForGood : texts.emptyToTrash}</PlainWords>
          <Numbers totals={totals} isWithVersions={isForGood} />
          {isForGood && <ConfirmName bucket={bucket} typed={typed} onTyped={setTyped} />}
        </>
      )}
    </ActDialog>
  );
}

type NumbersProps = {
  readonly totals: NonNullable<ListedBucket['totals']>;
  readonly isWithVersions: boolean;
};

/** What goes, in numbers; what it saves only where it is gone for good. */
export function Numbers({ totals, isWithVersions }: NumbersProps) {
  const texts = t().buckets.danger;
  const { current, noncurrent, uploads, perMonthMicro, currency } = totals;
  const line = (one: typeof current) => `${count(one.objects)} · ${bytes(one.bytes)}`;
  return (
    <dl class="effects">
      <div>
        <dt>{texts.objects}</dt>
        <dd>{line(current)}</dd>
      </div>
      {isWithVersions && (
        <>
          <div>
            <dt>{texts.versions}</dt>
            <dd>{line(noncurrent)}</dd>
          </div>
          <div>
            <dt>{texts.uploads}</dt>
            <dd>{line(uploads)}</dd>
          </div>
          <div>
            <dt>{texts.saves}</dt>
            <dd>{t().units.aMonth(smallMoney(perMonthMicro, currency))}</dd>
          </div>
        </>
      )}
    </dl>
  );
}

type ConfirmProps = {
  readonly bucket: string;
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
};

export function ConfirmName({ bucket, typed, onTyped }: ConfirmProps) {
  return (
    <TextField
      label={t().buckets.danger.typeName(bucket)}
      value={typed}
      onInput={onTyped}
      mono
      autocomplete="off"
    />
  );
}
