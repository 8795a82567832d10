// Gives an object another name: a job that moves it, with Undo.
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate } from '../../api/query.ts';
import { navigate, objectPath } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { nameOf } from '../browse/selection.ts';
import { moveObject } from './move-object.ts';
import { folderOf } from './neighbours.ts';

type RenameProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly onClose: () => void;
};

export function RenameObject({ bucket, objectKey: key, onClose }: RenameProps) {
  const texts = t().object;
  const folder = folderOf(key);
  const [name, setName] = useState(nameOf(key));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The extension is not selected: it is seldom what one renames.
    const dot = nameOf(key).lastIndexOf('.');
    input.current?.focus();
    input.current?.setSelectionRange(0, dot > 0 ? dot : nameOf(key).length);
  }, []);

  async function rename(): Promise<void> {
    const to = folder + name;
    if (name === '' || to === key) return onClose();
    setBusy(true);
    setError(null);
    try {
      const undo = await moveObject(bucket, key, to);
      for (const one of [key, to]) invalidate(`object ${bucket} ${one} `);
      invalidate(`folder ${bucket} `);
      onClose();
      navigate(objectPath(bucket, to), { replace: true });
      showToast({
        text: texts.renamed(name),
        undo: () => {
          undo().then(
            () => {
              invalidate(`folder ${bucket} `);
              navigate(objectPath(bucket, key), { replace: true });
            },
            (cause: unknown) => showToast({ text: errorLine(cause) }),
          );
        },
      });
    } catch (cause) {
      setError(errorLine(cause));
      setBusy(false);
    }
  }
  return (
    <Dialog
      title={texts.renameTitle(nameOf(key))}
      onClose={onClose}
      onSubmit={() => void rename()}
      isDirty={name !== nameOf(key)}
      actions={
        <>
          <Button kind="secondary" label={t().shell.cancel} onClick={onClose} />
          <Button kind="primary" type="submit" label={texts.rename} isBusy={isBusy} />
        </>
      }
    >
      <TextField
        label={texts.newName}
        value={name}
        onInput={setName}
        error={error}
        hint={texts.renameHint}
        inputRef={input}
      />
    </Dialog>
  );
}
