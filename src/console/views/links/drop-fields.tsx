// The fields of a drop link: where files come to and until when first, the others below.
import type { DropLink } from 'quayside/client';
import { t } from '../../i18n/i18n.ts';
import { setterOf } from '../../ui/draft-setter.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FIELDS } from './drop-calls.ts';
import { type DropDraft, type DropErrors, exampleOf, USES } from './drop-draft.ts';
import { EndFields, PageText } from './share-fields.tsx';

type FieldsProps = {
  readonly draft: DropDraft;
  readonly errors: DropErrors;
  readonly link: DropLink | null;
  readonly onChange: (draft: DropDraft) => void;
};

export function DropFields(props: FieldsProps) {
  const { draft, errors, link, onChange } = props;
  const texts = t().links.drop;
  const set = setterOf(props);
  return (
    <>
      <TextField
        label={texts.pageTitle}
        aside={t().units.optional}
        value={draft.pageTitle}
        onInput={set('pageTitle')}
        maxLength={200}
        hint={texts.pageTitleHint}
      />
      <div class="two-fields">
        <TextField
          label={texts.into}
          mono
          value={draft.prefix}
          onInput={set('prefix')}
          maxLength={256}
          hint={texts.intoHint}
          error={errors.prefix}
        />
        <EndFields
          end={draft}
          error={errors.day}
          onChange={(end) => onChange({ ...draft, ...end })}
        />
      </div>
      <CheckField
        label={texts.quarantine}
        hint={
          !draft.quarantine && link?.quarantine ? texts.quarantineOff(link.quarantine) : undefined
        }
        checked={draft.quarantine}
        onChange={set('quarantine')}
      />
      <More {...props} />
    </>
  );
}

function More(props: FieldsProps) {
  const { draft, errors, onChange } = props;
  const all = t().links;
  const texts = all.drop;
  const set = setterOf(props);
  const number = (
    name: 'fileGigabytes' | 'files' | 'totalGigabytes' | 'senderFiles' | 'senderGigabytes',
  ) => (
    <TextField
      label={texts[name]}
      aside={t().units.optional}
      type="number"
      step="any"
      value={draft[name]}
      onInput={set(name)}
      error={errors[name]}
    />
  );
  const example = exampleOf(draft);
  return (
    <details class="share-more">
      <summary>{t().shell.more}</summary>
      <fieldset class="asks">
        <legend>{texts.asks}</legend>
        {FIELDS.map((name) => (
          <SelectField
            key={name}
            label={texts.fields[name]}
            value={draft.asks[name]}
            onChange={(use) => onChange({ ...draft, asks: { ...draft.asks, [name]: use } })}
            options={USES.map((value) => ({ value, label: texts.uses[value] }))}
          />
        ))}
      </fieldset>
      <TextField
        label={texts.template}
        mono
        value={draft.template}
        onInput={set('template')}
        maxLength={200}
        hint={example === null ? undefined : <bdi>{texts.example(example)}</bdi>}
        error={errors.template}
      />
      <div class="two-fields">
        {number('fileGigabytes')}
        {number('files')}
        {number('totalGigabytes')}
        {number('senderFiles')}
        {number('senderGigabytes')}
        <TextField
          label={texts.types}
          aside={t().units.optional}
          mono
          value={draft.types}
          onInput={set('types')}
          hint={texts.typesHint}
          error={errors.types}
        />
      </div>
      <PageText label={all.pageText} value={draft.pageText} onInput={set('pageText')} />
      <TextField
        label={all.note}
        aside={t().units.optional}
        value={draft.note}
        onInput={set('note')}
        maxLength={500}
      />
    </details>
  );
}
