// Sets a cap or changes one; says before saving what happens at the notice and at the
// limit.

import { useState } from 'preact/hooks';
import type { Cap } from 'quayside/client';
import { useBucketNames } from '../../api/bucket-names.ts';
import { client } from '../../api/client.ts';
import { bytes, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { setterOf } from '../../ui/draft-setter.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { useAct } from '../change/use-act.ts';
import { refreshCaps } from './caps.tsx';

const MICRO = 1_000_000;
const GIGABYTE = 1e9;
const ALERT_PERCENT = 80;
/** Digits of the limit that the server takes. */
const LIMIT_MAX = 1e15;
const CAP_ID_MAX = 64;

type SetCapProps = {
  readonly currency: string;
  /** The cap that is changed; null: a new one. */
  readonly cap: Cap | null;
  readonly onClose: () => void;
};

type Draft = {
  readonly unit: Cap['unit'];
  readonly amount: string;
  /** '' is the whole account. */
  readonly bucket: string;
  readonly period: 'day' | 'month';
  readonly alert: string;
};

const draftOf = (cap: Cap | null): Draft => ({
  unit: cap?.unit ?? 'money',
  amount: cap === null ? '' : `${Number(cap.limit) / stepOf(cap.unit)}`,
  bucket: cap?.bucket ?? '',
  period: cap?.period ?? 'month',
  alert: `${cap?.alertPercents?.[0] ?? ALERT_PERCENT}`,
});

const stepOf = (unit: Cap['unit']): number => (unit === 'money' ? MICRO : GIGABYTE);

export function SetCap({ currency, cap, onClose }: SetCapProps) {
  const texts = t().usage;
  const [draft, setDraft] = useState(() => draftOf(cap));
  const { unit, amount, bucket, period, alert } = draft;
  const act = useAct(onClose);
  const limit = Math.round(Number(amount) * stepOf(unit));
  const isWrong = !(limit >= 1 && limit <= LIMIT_MAX);
  const alertPercent = Number(alert);
  const isAlertWrong = !(
    Number.isInteger(alertPercent) &&
    alertPercent >= 1 &&
    alertPercent <= 100
  );
  const show = (value: number) => (unit === 'money' ? money(value, currency) : bytes(value));

  function save(): void {
    if (isWrong || isAlertWrong) return;
    const scope = bucket === '' ? null : bucket;
    const id =
      cap?.id ??
      `${unit}-${scope ?? 'account'}-${period}`.replace(/[^\w-]/g, '-').slice(0, CAP_ID_MAX);
    act.run(async () => {
      const rest = cap === null ? {} : await client.caps.get(id);
      const {
        cachedFromPercent = null,
        rateCardId = null,
        accessKeyId = null,
      } = rest as Partial<Cap>;
      await client.caps.put(id, {
        body: {
          unit,
          limit: `${limit}`,
          period,
          bucket: scope,
          accessKeyId,
          cachedFromPercent,
          rateCardId: unit === 'money' ? rateCardId : null,
          alertPercents: [alertPercent],
        },
        ...(cap === null ? {} : { ifMatch: rest }),
      });
      refreshCaps();
    });
  }

  return (
    <ActDialog
      title={cap === null ? texts.setCap : texts.changeCap}
      width={520}
      isDirty={amount !== '' && cap === null}
      onClose={onClose}
      onSubmit={save}
      label={texts.saveCap}
      act={act}
      off={isWrong ? texts.limitWrong : null}
    >
      <Fields
        draft={draft}
        onChange={setDraft}
        cap={cap}
        currency={currency}
        isWrong={isWrong}
        isAlertWrong={isAlertWrong}
      />
      {!isWrong && !isAlertWrong && (
        <PlainWords>
          {texts.effect(show((limit * alertPercent) / 100), show(limit), texts.ends[period])}
        </PlainWords>
      )}
    </ActDialog>
  );
}

type FieldsProps = Pick<SetCapProps, 'cap' | 'currency'> & {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly isWrong: boolean;
  readonly isAlertWrong: boolean;
};

function Fields({ draft, onChange, cap, currency, isWrong, isAlertWrong }: FieldsProps) {
  const texts = t().usage;
  const buckets = useBucketNames();
  const set = setterOf({ draft, onChange });
  return (
    <div class="two-fields">
      <TextField
        label={draft.unit === 'money' ? texts.limitIn(currency) : texts.limitGigabytes}
        type="number"
        min={0}
        value={draft.amount}
        onInput={set('amount')}
        error={draft.amount !== '' && isWrong ? texts.limitWrong : null}
        autofocus
      />
      <SelectField
        label={texts.of}
        value={draft.unit}
        onChange={set('unit')}
        disabled={cap !== null}
        options={[
          { value: 'money', label: texts.units.money },
          { value: 'bytes', label: texts.units.bytes },
        ]}
      />
      <SelectField
        label={texts.per}
        value={draft.period}
        onChange={set('period')}
        options={[
          { value: 'month', label: texts.periods.month },
          { value: 'day', label: texts.periods.day },
        ]}
      />
      <TextField
        label={texts.noticeAt}
        type="number"
        min={1}
        max={100}
        value={draft.alert}
        onInput={set('alert')}
        error={isAlertWrong ? texts.alertWrong : null}
      />
      {cap?.accessKeyId == null && (
        <SelectField
          label={texts.on}
          value={draft.bucket}
          onChange={set('bucket')}
          disabled={cap !== null}
          options={[
            { value: '', label: texts.onAccount },
            ...buckets.map((name) => ({
              value: name,
              label: name,
            })),
          ]}
        />
      )}
    </div>
  );
}
