// A setting as its JSON, for what has no form of its own: the server checks it, and
// its words stand below the text.
import type { ComponentChildren } from 'preact';
import { t } from '../../i18n/i18n.ts';
import { Field } from '../../ui/field.tsx';
import type { Bucket } from './bucket-list.ts';
import { type BucketChange, type SectionProps, SettingForm } from './setting-form.tsx';

type JsonField = 'policy' | 'hosting' | 'website' | 'cors' | 'lifecycle' | 'notifications';

type JsonProps = SectionProps & {
  readonly title: string;
  readonly sentence: ComponentChildren;
  readonly field: JsonField;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly below?: ComponentChildren;
};

/** Lines that are shown without scrolling. */
const ROWS_MIN = 3;
const ROWS_MAX = 16;

export function JsonSetting({ field, label, hint, ...section }: JsonProps) {
  return (
    <SettingForm
      {...section}
      read={(bucket) => textOf(bucket[field])}
      change={(text, base) => changeOf(field, text, base)}
      problem={problemOf}
    >
      {(text, set) => <JsonField label={label} hint={hint} text={text} onInput={set} />}
    </SettingForm>
  );
}

type FieldProps = {
  readonly label: string;
  readonly hint: ComponentChildren;
  readonly text: string;
  readonly onInput: (text: string) => void;
};

function JsonField({ label, hint, text, onInput }: FieldProps) {
  return (
    <Field label={label} hint={hint} error={problemOf(text)}>
      {({ id, describedBy, isInvalid }) => (
        <textarea
          id={id}
          class="input json"
          value={text}
          rows={Math.min(ROWS_MAX, Math.max(ROWS_MIN, text.split('\n').length))}
          spellcheck={false}
          placeholder={t().buckets.noSetting}
          aria-describedby={describedBy}
          aria-invalid={isInvalid}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Empty text stands for nothing. */
const textOf = (value: Bucket[JsonField]): string =>
  value === null || (Array.isArray(value) && value.length === 0)
    ? ''
    : JSON.stringify(value, null, 2);

function changeOf(field: JsonField, text: string, base: Bucket): BucketChange {
  if (text.trim() === '') return { [field]: null };
  const wanted: unknown = JSON.parse(text);
  const isMerged = field === 'hosting' || field === 'website';
  return { [field]: isMerged ? mergePatch(base[field], wanted) : wanted };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON merge patch (RFC 7396) that makes `before` what `after` is. */
function mergePatch(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const gone = Object.keys(before).filter((name) => !(name in after));
  return Object.fromEntries([
    ...gone.map((name) => [name, null]),
    ...Object.entries(after).map(([name, value]) => [name, mergePatch(before[name], value)]),
  ]);
}

function problemOf(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return t().buckets.notJson(error instanceof Error ? error.message : '');
  }
}
