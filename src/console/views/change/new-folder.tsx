// A new folder: an empty object whose key ends with a slash, as S3's own console makes
// one, so that it stays when it is empty.
import { useState } from 'preact/hooks';
import { QuaysideError } from '../../api/client.ts';
import { invalidate } from '../../api/query.ts';
import { navigate, objectPath } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { InlineError } from '../../ui/small.tsx';
import { uploadClient } from '../upload/send/upload-client.ts';
import type { ChangeProps } from './change-props.ts';
import { problemOf } from './rename.tsx';
import { useAct } from './use-act.ts';

export default function NewFolder({ selection, onClose }: ChangeProps) {
  const texts = t().change;
  const { bucket, prefix } = selection;
  const [name, setName] = useState('');
  const act = useAct(onClose);
  const problem = name === '' ? null : problemOf(name, true);

  function make(): void {
    if (name === '' || problem !== null) return;
    const key = `${prefix}${name}/`;
    act.run(async () => {
      try {
        await uploadClient.upload(bucket, key, new Blob([]), { ifNoneMatch: '*' });
      } catch (error) {
        // The folder is there: it is opened all the same.
        if (!(error instanceof QuaysideError) || error.status !== 412) throw error;
      }
      invalidate(`folder ${bucket}`);
      navigate(objectPath(bucket, key));
    });
  }

  return (
    <Dialog
      title={t().browse.newFolder}
      width={500}
      isDirty={name !== ''}
      onClose={onClose}
      onSubmit={make}
      actions={
        <>
          <Button kind="secondary" label={t().shell.cancel} onClick={onClose} />
          <Button kind="primary" type="submit" label={texts.makeFolder} isBusy={act.isBusy} />
        </>
      }
    >
      <TextField
        label={t().browse.name}
        value={name}
        onInput={setName}
        error={problem}
        hint={texts.newFolderHint}
        autofocus
      />
      {act.error !== null && <InlineError text={act.error} />}
    </Dialog>
  );
}
