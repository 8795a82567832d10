// Lines of the dock for what an earlier page left unfinished: one click goes on.
import { History } from 'lucide';
import { useState } from 'preact/hooks';
import { errorLine } from '../../../api/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { openDialog } from '../../../ui/open-dialog.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { UploadDropZone } from '../choose/drop-zone.tsx';
import { nameOfTarget } from '../choose/drops.ts';
import { type GoneOn, giveUp, goOn, goOnByHandles } from './go-on.ts';
import { type Interrupted, interrupted } from './keep.ts';

export default function InterruptedLines() {
  return (
    <>
      {interrupted.value.map((one) => (
        <InterruptedLine key={one.batch.id} one={one} />
      ))}
    </>
  );
}

function InterruptedLine({ one }: { readonly one: Interrupted }) {
  const texts = t().upload;
  const [isBusy, setBusy] = useState(false);
  const { bucket, prefix, roots } = one.batch;
  const name = nameOfTarget(bucket, prefix);

  async function run(work: () => Promise<GoneOn | null>): Promise<void> {
    setBusy(true);
    try {
      const result = await work();
      if (result !== null) showToast({ text: texts.goneOn(result) });
    } catch (error) {
      showToast({ text: errorLine(error) });
    } finally {
      setBusy(false);
    }
  }
  const choose = () =>
    openDialog((close) => (
      <Dialog title={texts.uploadTo(name)} onClose={close}>
        <UploadDropZone
          hint={texts.sameFiles}
          onChosen={(chosen) => {
            close();
            void run(() => goOn(one, chosen));
          }}
        />
      </Dialog>
    ));

  return (
    <div class="head interrupted">
      <Icon of={History} />
      <span class="cut grow">
        {texts.interrupted(one.files.length, name, one.files[0]?.path ?? '')}
      </span>
      {roots.length > 0 ? (
        <Button
          kind="secondary"
          label={texts.goOn}
          isBusy={isBusy}
          onClick={() => void run(() => goOnByHandles(one))}
        />
      ) : (
        <Button kind="secondary" label={texts.chooseAgain} isBusy={isBusy} onClick={choose} />
      )}
      <Button label={texts.giveUp} onClick={() => void run(() => giveUp(one).then(() => null))} />
    </div>
  );
}
