// Renames many objects by a pattern; the server says each new name and every clash
// before anything is done.

import { useState } from 'preact/hooks';
import type { RequestOptions } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { useQuery } from '../../api/query.ts';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { ActDialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { InlineError, PlainWords } from '../../ui/small.tsx';
import { nameOf } from '../browse/selection.ts';
import { type ChangeProps, jobTargets } from './change-props.ts';
import { runJob } from './run-job.ts';
import { useAct } from './use-act.ts';

type Pattern = RequestOptions<'POST /buckets/{bucket}/rename-preview'>['body']['pattern'];
type LetterCase = 'keep' | 'lower' | 'upper' | 'title';

/** New names that are shown. */
const SHOWN_MAX = 100;

export function RenameMany({ selection, onClose, onDone }: ChangeProps) {
  const texts = t().change;
  const { bucket, prefix, rows, isAll } = selection;
  const place = texts.everythingIn(`${bucket}/${prefix}`);
  const [find, setFind] = useState('');
  const [replace, setReplace] = useState('');
  const [letterCase, setCase] = useState<LetterCase>('keep');
  const [isNumbered, setNumbered] = useState(false);
  const act = useAct(onClose, onDone);
  const pattern: Pattern = {
    replace,
    ...(find === '' ? {} : { find }),
    ...(letterCase === 'keep' ? {} : { case: letterCase }),
    ...(isNumbered ? { counter: { start: 1, width: 3 } } : {}),
  };
  const isEmpty = find === '' && letterCase === 'keep' && !isNumbered;
  const body = { ...jobTargets(selection), pattern };
  const preview = useQuery(isEmpty ? null : `rename ${bucket} ${JSON.stringify(body)}`, (signal) =>
    client.request('POST /buckets/{bucket}/rename-preview', { path: { bucket }, body, signal }),
  );
  const names = preview.data.value;
  const clashes = names?.names.filter(({ clash }) => clash !== null).length ?? 0;
  const total = names?.total ?? 0;
  const failure = preview.error.value;
  const rename = () =>
    act.run(() => runJob(bucket, { kind: 'rename', conflict: 'refuse', ...body }));

  return (
    <ActDialog
      title={isAll ? texts.renameTitle(place) : texts.renameManyTitle(count(rows.length))}
      width={620}
      isDirty={!isEmpty}
      onClose={onClose}
      onSubmit={rename}
      act={act}
      off={total === 0 ? texts.noNames : null}
      label={total === 0 ? texts.rename : texts.renameCount(t().units.objects(total, count(total)))}
    >
      <div class="two-fields">
        <TextField label={texts.find} value={find} onInput={setFind} hint={texts.findHint} mono />
        <TextField
          label={texts.replace}
          value={replace}
          onInput={setReplace}
          hint={texts.replaceHint}
          mono
        />
        <SelectField<LetterCase>
          label={texts.letterCase}
          value={letterCase}
          onChange={setCase}
          options={(['keep', 'lower', 'upper', 'title'] as const).map((value) => {
            return { value, label: texts.letterCases[value] };
          })}
        />
        <CheckField label={texts.number} checked={isNumbered} onChange={setNumbered} />
      </div>
      <ul class="renames" aria-label={texts.newNames}>
        {(names?.names ?? []).slice(0, SHOWN_MAX).map(({ key, toKey, clash }) => (
          <li key={key} class={clash === null ? undefined : 'is-clash'}>
            <bdi class="faint">{nameOf(key)}</bdi>
            <bdi>{toKey === null ? '' : nameOf(toKey)}</bdi>
            {clash !== null && <span class="tag bad">{texts.clashes[clash]}</span>}
          </li>
        ))}
      </ul>
      {clashes > 0 && <PlainWords tone="open">{texts.clashHint(count(clashes))}</PlainWords>}
      {failure !== null && <InlineError text={errorLine(failure)} />}
    </ActDialog>
  );
}
