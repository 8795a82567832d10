// What was pasted: a screenshot or files. A name is asked, and when all is there the
// link is copied.
import { useState } from 'preact/hooks';
import { client } from '../../../api/client.ts';
import { presignedLink } from '../../../api/presigned-link.ts';
import { BASE, objectPath } from '../../../app/router.ts';
import { endTime } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { openDialog } from '../../../ui/open-dialog.tsx';
import { bringIn } from '../bring-in.ts';
import { type UploadTarget, whenSettled } from '../send/upload-store.ts';
import { nameOfTarget } from './drops.ts';
import { chosenByInput } from './read-files.ts';

/** Asks for the name of what was pasted, then uploads it. Files have names already. */
export function openPaste(target: UploadTarget, files: readonly File[]): void {
  const [file] = files;
  if (file === undefined) return;
  if (files.length > 1) void bringIn(target, chosenByInput(files));
  else openDialog((close) => <PasteDialog target={target} file={file} onClose={close} />);
}

/** A browser calls each screenshot `image.png`: a time tells them apart. */
function suggestedName(file: File): string {
  if (!/^image\.\w+$/.test(file.name)) return file.name;
  const at = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000);
  const stamp = at.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  return `${t().upload.screenshot} ${stamp}.${file.name.split('.').at(-1)}`;
}

type PasteProps = {
  readonly target: UploadTarget;
  readonly file: File;
  readonly onClose: () => void;
};

function PasteDialog({ target, file, onClose }: PasteProps) {
  const texts = t().upload;
  const [first] = useState(() => suggestedName(file));
  const [name, setName] = useState(first);
  const [isOpen, setOpen] = useState(false);
  const error = name === '' ? texts.nameMissing : null;
  const submit = () => {
    if (error !== null) return;
    onClose();
    void sendAndCopy(target, new File([file], name, { type: file.type }), isOpen);
  };
  return (
    <Dialog
      title={texts.uploadTo(nameOfTarget(target.bucket, target.prefix))}
      onClose={onClose}
      onSubmit={submit}
      isDirty={name !== first}
      actions={
        <>
          <Button label={t().shell.cancel} onClick={onClose} />
          <Button kind="primary" type="submit" label={texts.uploadAndCopy} />
        </>
      }
    >
      <TextField label={texts.name} value={name} onInput={setName} error={error} autofocus />
      <CheckField
        label={texts.openLink}
        hint={texts.openLinkHint}
        checked={isOpen}
        onChange={setOpen}
      />
    </Dialog>
  );
}

async function sendAndCopy(target: UploadTarget, file: File, isOpen: boolean): Promise<void> {
  await bringIn(target, chosenByInput([file]));
  const { bucket, prefix } = target;
  const key = prefix + file.name;
  if (!(await whenSettled(bucket, key))) return;
  const link = await linkTo(bucket, key, isOpen);
  // A browser may refuse the clipboard when the click is long ago: then it is shown.
  if (await copyText(link.url, link.said)) return;
  openDialog((close) => <LinkDialog {...link} onClose={close} />);
}

type Link = { readonly url: string; readonly said: string };

function LinkDialog({ url, said, onClose }: Link & { readonly onClose: () => void }) {
  const copy = async () => {
    if (await copyText(url, said)) onClose();
  };
  return (
    <Dialog
      title={t().upload.link}
      onClose={onClose}
      onSubmit={() => void copy()}
      actions={<Button kind="primary" type="submit" label={t().shell.copy} />}
    >
      <TextField label={t().upload.link} value={url} onInput={() => {}} readonly mono autofocus />
    </Dialog>
  );
}

/** Its public URL; else one that ends, or the address here for who may sign in. */
async function linkTo(bucket: string, key: string, isOpen: boolean): Promise<Link> {
  const texts = t().upload;
  const { everyoneMayRead, publicUrl } = await client.objects.get(bucket, { query: { key } });
  if (everyoneMayRead === 'yes' && publicUrl !== null) {
    return { url: publicUrl, said: texts.linkCopied };
  }
  if (!isOpen) {
    return { url: location.origin + BASE + objectPath(bucket, key), said: texts.memberLinkCopied };
  }
  const { url, endsAt } = await presignedLink(bucket, key);
  return { url, said: texts.linkEnds(endTime(endsAt)) };
}
