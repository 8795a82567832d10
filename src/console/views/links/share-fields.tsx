// The fields of a share link: the few that matter first, the others below.
import type { ShareLink } from 'quayside/client';
import { t } from '../../i18n/i18n.ts';
import { setterOf } from '../../ui/draft-setter.ts';
import { CheckField, Field, RadioField, SelectField, TextField } from '../../ui/field.tsx';
import {
  type Draft,
  type DraftEnd,
  type DraftErrors,
  END_CHOICES,
  MODES,
  type Target,
} from './share-draft.ts';

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
        <EndFields
          end={draft}
          error={errors.day}
          onChange={(end) => props.onChange({ ...draft, ...end })}
        />
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

type PageTextProps = {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
};

/** What a link's page says. */
export function PageText({ label, hint, value, onInput }: PageTextProps) {
  return (
    <Field label={label} aside={t().units.optional} hint={hint}>
      {({ id, describedBy }) => (
        <textarea
          id={id}
          class="input"
          rows={3}
          maxLength={5000}
          value={value}
          aria-describedby={describedBy}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

type EndProps = {
  readonly end: DraftEnd;
  readonly error: string | undefined;
  readonly onChange: (end: DraftEnd) => void;
};

/** When a link ends. */
export function EndFields({ end: { end, day }, error, onChange }: EndProps) {
  const texts = t().links;
  return (
    <>
      <SelectField
        label={texts.end}
        value={end}
        onChange={(value) => onChange({ end: value, day })}
        options={END_CHOICES.map((value) => ({ value, label: texts.endChoices[value] }))}
      />
      {end === 'date' && (
        <TextField
          label={texts.endDay}
          type="date"
          value={day}
          onInput={(value) => onChange({ end, day: value })}
          error={error}
        />
      )}
    </>
  );
}

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
      <summary>{t().shell.more}</summary>
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
          step="any"
          value={draft.gigabytes}
          onInput={set('gigabytes')}
          error={errors.gigabytes}
        />
        <TextField
          label={texts.money(currency)}
          aside={t().units.optional}
          type="number"
          step="any"
          value={draft.money}
          onInput={set('money')}
          error={errors.money}
        />
        {target.kind === 'object' && text('fileName', texts.fileName)}
        {text('pageTitle', texts.pageTitle)}
      </div>
      <PageText
        label={texts.pageText}
        hint={texts.pageTextHint}
        value={draft.pageText}
        onInput={set('pageText')}
      />
      <TextField
        label={texts.addresses}
        aside={t().units.optional}
        mono
        value={draft.addresses}
        onInput={set('addresses')}
        hint={t().keys.addressesHint}
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
