// Retention and legal hold of objects, as fields of the dialogs that edit one or many: in
// buckets with object lock alone.
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { t } from '../../i18n/i18n.ts';
import { setterOf } from '../../ui/draft-setter.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { type LockDraft, lockChangeOf } from './attributes.ts';

type FieldsProps = {
  readonly bucket: string;
  readonly draft: LockDraft;
  readonly onChange: (draft: LockDraft) => void;
};

export function LockFields(props: FieldsProps) {
  const { bucket, draft } = props;
  const { mode, hold } = draft;
  const facts = useQuery(`bucket ${bucket}`, (signal) => client.buckets.get(bucket, { signal }));
  if (!facts.data.value?.objectLock) return null;

  const texts = t().buckets.lock;
  const set = setterOf(props);
  const isLock = mode !== 'keep' && mode !== 'none';
  const { yes } = t().browse;
  const { no } = t().links;
  const keep = t().change.letterCases.keep;
  return (
    <>
      <div class="two-fields">
        <SelectField
          label={texts.title}
          value={mode}
          options={optionsOf({ keep, ...texts.modes })}
          onChange={set('mode')}
        />
        <SelectField
          label={t().browse.legalHold}
          value={hold}
          options={optionsOf({ keep, yes, no })}
          onChange={set('hold')}
        />
      </div>
      {isLock && (
        <TextField
          label={t().keys.endDay}
          type="date"
          value={draft.day}
          onInput={set('day')}
          error={lockChangeOf(draft, false) === undefined ? t().keys.endMissing : null}
        />
      )}
      {mode === 'COMPLIANCE' && (
        <PlainWords tone="lose">
          {texts.modeHints.COMPLIANCE} {t().jobs.noUndo}
        </PlainWords>
      )}
    </>
  );
}

const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));
