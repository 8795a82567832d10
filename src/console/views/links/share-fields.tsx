// The fields of a share link: the few that matter first, the others below.
import type { ShareLink } from 'quayside/client';
import { t } from '../../i18n/i18n.ts';
import { CheckField, Field, RadioField, SelectField, TextField } from '../../ui/field.tsx';
import { type Draft, type DraftErrors, END_CHOICES, MODES, type Target } from './share-draft.ts';

type FieldsProps = {
  readonly draft: Draft;
  readonly errors: DraftErrors;
  readonly target: Target;
  readonly link: ShareLink | null;
  readonly currency: string;
  readonly onChange: (draft: Draft) => void;
};

export function ShareFields(props: FieldsProps) {
  const { draft, errors, link } = props;
  const texts = t().links;
  const set = setterOf(props);
  const hasPassword = link?.hasPassword === true;
  return (
    <>
      <div class="two-fields">
        <SelectField
          label={texts.end}
          value={draft.end}
          onChange={set('end')}
          options={END_CHOICES.map((value) => ({ value, label: texts.endChoices[value] }))}
        />
        {draft.end === 'date' && (
          <TextField
            label={texts.endDay}
            type="date"
            value={draft.day}
            onInput={set('day')}
            error={errors.day}
          />
        )}
        <TextField
          label={texts.password}
          aside={t().units.optional}
          autocomplete="off"
          value={draft.password}
          onInput={set('password')}
          maxLength={128}
          hint={hasPassword ? texts.keepsPassword : texts.passwordHint}
          error={errors.password}
        />
        <TextField
          label={texts.downloads}
          aside={t().units.optional}
          type="number"
          min={1}
          value={draft.downloads}
          onInput={set('downloads')}
          hint={texts.downloadsHint}
          error={errors.downloads}
        />
      </div>
      {hasPassword && (
        <CheckField
          label={texts.removePassword}
          checked={draft.removesPassword}
          onChange={set('removesPassword')}
        />
      )}
      <More {...props} />
    </>
  );
}

/** Changes one field of the draft. */
const setterOf =
  ({ draft, onChange }: FieldsProps) =>
  <Name extends keyof Draft>(name: Name) =>
  (value: Draft[Name]) =>
    onChange({ ...draft, [name]: value });

function More(props: FieldsProps) {
  const { draft, errors, target, currency } = props;
  const texts = t().links;
  const set = setterOf(props);
  const text = (name: 'fileName' | 'pageTitle' | 'note', label: string) => (
    <TextField
      label={label}
      aside={t().units.optional}
      value={draft[name]}
      onInput={set(name)}
      maxLength={200}
    />
  );
  return (
    <details class="share-more">
      <summary>{texts.more}</summary>
      <RadioField
        legend={texts.mode}
        name="mode"
        value={draft.mode}
        onChange={set('mode')}
        options={MODES.map((value) => ({
          value,
          label: texts.modes[value],
          ...(value === 'view' ? { hint: texts.viewHint } : {}),
        }))}
      />
      <div class="two-fields">
        <TextField
          label={texts.gigabytes}
          aside={t().units.optional}
          type="number"
          value={draft.gigabytes}
          onInput={set('gigabytes')}
          error={errors.gigabytes}
        />
        <TextField
          label={texts.money(currency)}
          aside={t().units.optional}
          type="number"
          value={draft.money}
          onInput={set('money')}
          error={errors.money}
        />
        {target.kind === 'object' && text('fileName', texts.fileName)}
        {text('pageTitle', texts.pageTitle)}
      </div>
      <Field label={texts.pageText} aside={t().units.optional} hint={texts.pageTextHint}>
        {({ id, describedBy }) => (
          <textarea
            id={id}
            class="input"
            rows={3}
            maxLength={5000}
            value={draft.pageText}
            aria-describedby={describedBy}
            onInput={(event) => set('pageText')(event.currentTarget.value)}
          />
        )}
      </Field>
      <TextField
        label={texts.addresses}
        aside={t().units.optional}
        mono
        value={draft.addresses}
        onInput={set('addresses')}
        hint={texts.addressesHint}
      />
      <TextField
        label={texts.countries}
        aside={t().units.optional}
        mono
        value={draft.countries}
        onInput={set('countries')}
        hint={texts.countriesHint}
      />
      {text('note', texts.note)}
      <CheckField label={texts.cuts} checked={draft.cutsRunning} onChange={set('cutsRunning')} />
    </details>
  );
}
