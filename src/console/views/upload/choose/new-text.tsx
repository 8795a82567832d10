// A text file written in place: a README, a page, `_redirects`. It never goes over
// something that is there.
import { useState } from 'preact/hooks';
import { QuaysideError } from '../../../api/client.ts';
import { errorLine } from '../../../api/describe-error.ts';
import { invalidate } from '../../../api/query.ts';
import { navigate, objectPath } from '../../../app/router.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, TextField } from '../../../ui/field.tsx';
import { openDialog } from '../../../ui/open-dialog.tsx';
import { InlineError } from '../../../ui/small.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { uploadClient } from '../send/upload-client.ts';
import { checkRules } from './check-rules.ts';
import { typeOfFile } from './file-types.ts';

/** Opens the dialog in which a text is written. */
export function openNewText(bucket: string, prefix: string): void {
  openDialog((close) => <NewText bucket={bucket} prefix={prefix} onClose={close} />);
}

type NewTextProps = {
  readonly bucket: string;
  readonly prefix: string;
  readonly onClose: () => void;
};

/** Types of texts that have none by their ending. */
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  htm: 'text/html',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
  xml: 'application/xml',
};

function typeOf(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const type = TYPES[ending] ?? typeOfFile(new File([], name), name) ?? 'text/plain';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

function NewText({ bucket, prefix, onClose }: NewTextProps) {
  const texts = t().upload;
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const problems = checkRules(name, text) ?? [];
  const isTaken = error instanceof QuaysideError && error.status === 412;

  async function save(): Promise<void> {
    if (name === '' || isBusy) return;
    setBusy(true);
    setError(null);
    const key = prefix + name;
    try {
      await uploadClient.upload(bucket, key, text, { contentType: typeOf(name), ifNoneMatch: '*' });
      onClose();
      invalidate(`folder ${bucket}`);
      showToast({ text: texts.textSaved(name) });
      navigate(objectPath(bucket, key));
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      title={texts.newText}
      width={620}
      onClose={onClose}
      onSubmit={() => void save()}
      isDirty={text !== ''}
      actions={
        <>
          <Button label={t().shell.cancel} onClick={onClose} />
          <Button
            kind="primary"
            type="submit"
            label={t().shell.save}
            isBusy={isBusy}
            off={name === '' ? texts.nameMissing : null}
          />
        </>
      }
    >
      <TextField
        label={texts.name}
        value={name}
        onInput={setName}
        placeholder="README.md"
        error={isTaken ? texts.nameTaken : null}
        hint={typeOf(name)}
        autofocus
      />
      <Field label={texts.content}>
        {({ id, describedBy }) => (
          <textarea
            id={id}
            class="input mono text-editor"
            rows={14}
            spellcheck={false}
            aria-describedby={describedBy}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      {problems.map((problem) => (
        <InlineError
          key={problem.line}
          text={texts.ruleProblem(
            problem.line,
            problem.kind === 'status'
              ? texts.ruleKinds.status(problem.text)
              : texts.ruleKinds[problem.kind],
          )}
        />
      ))}
      {error !== null && !isTaken && <InlineError text={errorLine(error)} />}
    </Dialog>
  );
}
