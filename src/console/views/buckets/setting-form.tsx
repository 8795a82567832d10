// A section of a bucket's settings: one sentence, a form, and a button that is there
// once something was changed.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
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

type FormProps<Draft> = SectionProps & {
  readonly title: string;
  readonly sentence: ComponentChildren;
  readonly read: (bucket: Bucket) => Draft;
  /** The change that makes the setting of `base` what the draft says. */
  readonly change: (draft: Draft, base: Bucket) => BucketChange;
  /** Why the draft can't be saved; null: it can be tried. */
  readonly problem?: (draft: Draft) => string | null;
  readonly children: (draft: Draft, set: (draft: Draft) => void) => ComponentChildren;
  /** Stands below the form, saved or not. */
  readonly below?: ComponentChildren;
};

/** A form over some of a bucket's settings. */
export function SettingForm<Draft>(props: FormProps<Draft>) {
  const { bucket, onSaved, title, sentence, read, change, problem, children, below } = props;
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
      <SavedForm setting={setting} problem={problem?.(setting.draft) ?? null}>
        {children(setting.draft, setting.set)}
      </SavedForm>
      {below}
    </Part>
  );
}

type SavedFormProps<Draft> = {
  readonly setting: Setting<Draft>;
  readonly problem: string | null;
  readonly children: ComponentChildren;
};

/** The form of a setting with its buttons, its error, and both sides of a clash. */
export function SavedForm<Draft>({ setting, problem, children }: SavedFormProps<Draft>) {
  const { isDirty, isBusy, error, theirs } = setting;
  const texts = t().buckets;
  useEffect(() => {
    if (!isDirty) return;
    return guardLeaving(() => confirm(t().shell.unsaved));
  }, [isDirty]);
  return (
    <form
      class="setting-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isDirty && problem === null) setting.submit();
      }}
    >
      <fieldset disabled={!may('buckets:write')}>{children}</fieldset>
      {theirs !== null && <BothSides setting={setting} theirs={theirs.value} />}
      {error !== null && <InlineError text={error} />}
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
        <pre class="code">{shown(theirs)}</pre>
        <Button kind="secondary" label={texts.takeTheirs} onClick={setting.takeTheirs} />
      </div>
      <div>
        <b>{texts.mine}</b>
        <pre class="code">{shown(setting.draft)}</pre>
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
