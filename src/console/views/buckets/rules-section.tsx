// Rules: lifecycle, tags, the log of requests, and what saves bytes.
import type { LifecycleRule } from 'quayside/client';
import { lazy } from '../../app/lazy.tsx';
import { t } from '../../i18n/i18n.ts';
import { CheckField, Field, TextField } from '../../ui/field.tsx';
import type { Bucket } from './bucket-list.ts';
import { JsonSetting } from './json-setting.tsx';
import { ruleSentence } from './lifecycle-words.ts';
import { type SectionProps, SettingForm } from './setting-form.tsx';

const LifecyclePreview = lazy<{ bucket: string }>(() => import('./lifecycle-preview.tsx'));

export function RulesSection(props: SectionProps) {
  return (
    <>
      <Lifecycle {...props} />
      <Tags {...props} />
      <Logging {...props} />
      <Saving {...props} />
    </>
  );
}

function Lifecycle(props: SectionProps) {
  const texts = t().buckets.lifecycle;
  const rules = props.bucket.lifecycle as readonly LifecycleRule[];
  return (
    <JsonSetting
      {...props}
      title={texts.title}
      sentence={
        rules.length === 0 ? (
          texts.none
        ) : (
          <ul class="rules">
            {rules.map((rule) => (
              <li key={rule.id}>{ruleSentence(rule)}</li>
            ))}
          </ul>
        )
      }
      field="lifecycle"
      label={texts.rules}
      hint={texts.example}
      below={rules.length > 0 && <LifecyclePreview bucket={props.bucket.name} />}
    />
  );
}

/** Tags as lines of `name=value`. */
const tagText = ({ tags }: Bucket): string =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '');

const isTags = (text: string): boolean => linesOf(text).every((line) => line.indexOf('=') > 0);

/** The change that makes tags what the text says: what it does not name goes. */
function tagChange(before: Readonly<Record<string, string>>, text: string) {
  const gone = Object.keys(before).map((name) => [name, null] as const);
  const kept = linesOf(text).map((line) => {
    const cut = line.indexOf('=');
    return [line.slice(0, cut).trim(), line.slice(cut + 1).trim()] as const;
  });
  return Object.fromEntries<string | null>([...gone, ...kept]);
}

function Tags(props: SectionProps) {
  const texts = t().buckets.tags;
  return (
    <SettingForm
      {...props}
      title={texts.title}
      sentence={texts.sentence}
      read={tagText}
      change={(text, base) => ({ tags: tagChange(base.tags, text) })}
      problem={(text) => (isTags(text) ? null : texts.wrong)}
    >
      {(text, set) => (
        <Field label={texts.lines} hint={texts.hint} error={isTags(text) ? null : texts.wrong}>
          {({ id, describedBy, isInvalid }) => (
            <textarea
              id={id}
              class="input json"
              rows={3}
              value={text}
              spellcheck={false}
              aria-describedby={describedBy}
              aria-invalid={isInvalid}
              onInput={(event) => set(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
    </SettingForm>
  );
}

type LogDraft = { readonly target: string; readonly prefix: string };

function Logging(props: SectionProps) {
  const texts = t().buckets.logging;
  return (
    <SettingForm
      {...props}
      title={texts.title}
      sentence={texts.sentence}
      read={({ logging }): LogDraft => ({
        target: logging?.targetBucket ?? '',
        prefix: logging?.targetPrefix ?? '',
      })}
      change={({ target, prefix }) => ({
        logging: target === '' ? null : { targetBucket: target, targetPrefix: prefix },
      })}
    >
      {(draft, set) => (
        <div class="two-fields">
          <TextField
            label={texts.target}
            hint={texts.targetHint}
            value={draft.target}
            mono
            onInput={(target) => set({ ...draft, target })}
          />
          <TextField
            label={texts.prefix}
            hint={texts.prefixHint}
            value={draft.prefix}
            mono
            onInput={(prefix) => set({ ...draft, prefix })}
          />
        </div>
      )}
    </SettingForm>
  );
}

type SavingDraft = { readonly deduplicates: boolean; readonly afterDays: string };

const isDays = (text: string): boolean =>
  text === '' || (Number.isInteger(Number(text)) && Number(text) >= 1);

function Saving(props: SectionProps) {
  const texts = t().buckets.saving;
  return (
    <SettingForm
      {...props}
      title={texts.title}
      sentence={texts.sentence}
      read={({ deduplication, compression }): SavingDraft => ({
        deduplicates: deduplication,
        afterDays: compression === null ? '' : `${compression.afterDays}`,
      })}
      change={({ deduplicates, afterDays }) => ({
        deduplication: deduplicates,
        compression: afterDays === '' ? null : { afterDays: Number(afterDays) },
      })}
      problem={({ afterDays }) => (isDays(afterDays) ? null : texts.wrong)}
    >
      {(draft, set) => (
        <>
          <CheckField
            label={texts.deduplicate}
            hint={texts.deduplicateHint}
            checked={draft.deduplicates}
            onChange={(deduplicates) => set({ ...draft, deduplicates })}
          />
          <TextField
            label={texts.compress}
            type="number"
            min={1}
            value={draft.afterDays}
            hint={texts.compressHint}
            error={isDays(draft.afterDays) ? null : texts.wrong}
            onInput={(afterDays) => set({ ...draft, afterDays })}
          />
        </>
      )}
    </SettingForm>
  );
}
