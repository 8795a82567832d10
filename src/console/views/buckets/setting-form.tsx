// A section of a bucket's settings: one sentence, a form, and a button that is there
// once something was changed.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RequestOptions } from 'quayside/client';
import { client } from '../../api/client.ts';
import { guardLeaving } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { InlineError } from '../../ui/small.tsx';
import type { Bucket } from './bucket-list.ts';
import { type Setting, useSetting } from './use-setting.ts';

export type BucketChange = RequestOptions<'PATCH /buckets/{bucket}'>['body'];

export type SectionProps = {
  readonly bucket: Bucket;
  readonly onSaved: (bucket: Bucket) => void;
};

type HeadProps = {
  readonly title: string;
  readonly sentence: ComponentChildren;
  readonly children?: ComponentChildren;
};

/** A part of a section under a heading of its own. */
export function Part({ title, sentence, children }: HeadProps) {
  return (
    <section class="setting" aria-label={title}>
      <h3 class="setting-title">{title}</h3>
      <p class="dim">{sentence}</p>
      {children}
    </section>
  );
}

/** What the server says of the field at a JSON pointer, or of what is in it; null: nothing. */
export type FieldErrors = (pointer: string) => string | null;

const errorsOf =
  (fields: Setting<unknown>['fieldErrors']): FieldErrors =>
  (pointer) =>
    fields.find(({ field }) => field === pointer || field.startsWith(`${pointer}/`))?.message ??
    null;

type FormProps<Draft> = SectionProps & {
  readonly title: string;
  readonly sentence: ComponentChildren;
  readonly read: (bucket: Bucket) => Draft;
  /** The change that makes the setting of `base` what the draft says. */
  readonly change: (draft: Draft, base: Bucket) => BucketChange;
  /** Why the draft can't be saved; null: it can be tried. */
  readonly problem?: (draft: Draft) => string | null;
  readonly children: (
    draft: Draft,
    set: (draft: Draft) => void,
    errors: FieldErrors,
  ) => ComponentChildren;
  /** Fields that show their errors themselves, by the JSON pointers of the server. */
  readonly shows?: RegExp | undefined;
  /** Stands below the form, saved or not. */
  readonly below?: ComponentChildren;
};

/** A form over some of a bucket's settings. */
export function SettingForm<Draft>(props: FormProps<Draft>) {
  const { bucket, onSaved, title, sentence, read, change, problem, below, shows } = props;
  const { name } = bucket;
  const setting = useSetting<Bucket, Draft>({
    whole: bucket,
    read,
    save: (draft, base) =>
      client.buckets.update(name, { body: change(draft, base), ifMatch: base }),
    reload: () => client.buckets.get(name),
    onSaved,
  });
  return (
    <Part title={title} sentence={sentence}>
      <SavedForm setting={setting} problem={problem?.(setting.draft) ?? null} shows={shows}>
        {props.children(setting.draft, setting.set, errorsOf(setting.fieldErrors))}
      </SavedForm>
      {below}
    </Part>
  );
}

type SavedFormProps<Draft> = {
  readonly setting: Setting<Draft>;
  readonly problem: string | null;
  readonly shows?: RegExp | undefined;
  readonly children: ComponentChildren;
};

/** The form of a setting with its buttons, its error, and both sides of a clash. */
export function SavedForm<Draft>(props: SavedFormProps<Draft>) {
  const { setting, problem, shows, children } = props;
  const { isDirty, isBusy, error, fieldErrors, theirs } = setting;
  const texts = t().buckets;
  const form = useRef<HTMLFormElement>(null);
  const isShown =
    shows !== undefined &&
    fieldErrors.length > 0 &&
    fieldErrors.every(({ field }) => shows.test(field));
  useEffect(() => {
    if (isShown) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [isShown]);
  useEffect(() => {
    if (!isDirty) return;
    return guardLeaving(() => confirm(t().shell.unsaved));
  }, [isDirty]);
  return (
    <form
      ref={form}
      class="setting-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isDirty && problem === null) setting.submit();
      }}
    >
      <fieldset disabled={!may('buckets:write')}>{children}</fieldset>
      {theirs !== null && <BothSides setting={setting} theirs={theirs.value} />}
      {error !== null && !isShown && <InlineError text={error} />}
      {isDirty && theirs === null && (
        <div class="setting-actions">
          <Button
            kind="primary"
            type="submit"
            label={t().shell.save}
            isBusy={isBusy}
            off={problem}
          />
          <Button label={texts.reset} onClick={setting.reset} />
        </div>
      )}
    </form>
  );
}

type SidesProps<Draft> = { readonly setting: Setting<Draft>; readonly theirs: Draft };

/** What somebody else saved beside what is typed here. */
function BothSides<Draft>({ setting, theirs }: SidesProps<Draft>) {
  const texts = t().buckets;
  return (
    <div class="sides" role="alert">
      <p>{texts.changedMeanwhile}</p>
      <div>
        <b>{texts.theirs}</b>
        <pre class="code" tabIndex={0}>
          {shown(theirs)}
        </pre>
        <Button kind="secondary" label={texts.takeTheirs} onClick={setting.takeTheirs} />
      </div>
      <div>
        <b>{texts.mine}</b>
        <pre class="code" tabIndex={0}>
          {shown(setting.draft)}
        </pre>
        <Button
          kind="secondary"
          label={texts.saveMine}
          isBusy={setting.isBusy}
          onClick={setting.saveMine}
        />
      </div>
    </div>
  );
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);
