// A setting as its JSON, for what has no form of its own, and beside the form of what has
// one: the server checks it, and its words stand below.
import { Braces, TextCursorInput } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import type { Bucket } from './bucket-list.ts';
import {
  type BucketChange,
  type FieldErrors,
  type SectionProps,
  SettingForm,
} from './setting-form.tsx';

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
      {(text, set) => <JsonText label={label} hint={hint} text={text} onInput={set} />}
    </SettingForm>
  );
}

type FormProps<Value> = JsonProps & {
  /** The value as the form takes it; undefined: it can't show this one. */
  readonly parse: (json: unknown) => Value | undefined;
  readonly shows: RegExp;
  readonly children: (
    value: Value,
    set: (value: Value) => void,
    errors: FieldErrors,
  ) => ComponentChildren;
};

/** A setting as a form, and as JSON by one click: both change the same text. */
export function FormSetting<Value>(props: FormProps<Value>) {
  const { field, label, hint, parse, shows, children, ...section } = props;
  const [wantsJson, setWantsJson] = useState(false);
  const texts = t().buckets;
  const shownIn = (text: string): Value | undefined =>
    problemOf(text) === null ? parse(text.trim() === '' ? null : JSON.parse(text)) : undefined;
  return (
    <SettingForm
      {...section}
      read={(bucket) => textOf(bucket[field])}
      change={(text, base) => changeOf(field, text, base)}
      problem={problemOf}
      shows={wantsJson ? undefined : shows}
    >
      {(text, set, errors) => {
        const value = shownIn(text);
        const isJson = wantsJson || value === undefined;
        return (
          <>
            {isJson ? (
              <JsonText label={label} hint={hint} text={text} onInput={set} />
            ) : (
              children(value, (next) => set(textOf(next as Bucket[JsonField])), errors)
            )}
            <div>
              <Button
                icon={isJson ? TextCursorInput : Braces}
                label={isJson ? texts.asForm : texts.asJson}
                off={value === undefined ? texts.onlyJson : null}
                onClick={() => setWantsJson(!isJson)}
              />
            </div>
          </>
        );
      }}
    </SettingForm>
  );
}

type FieldProps = {
  readonly label: string;
  readonly hint: ComponentChildren;
  readonly text: string;
  readonly onInput: (text: string) => void;
};

function JsonText({ label, hint, text, onInput }: FieldProps) {
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
