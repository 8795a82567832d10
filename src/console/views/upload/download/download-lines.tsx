// Lines of the dock for downloads into a folder.
import { Download, X } from 'lucide';
import { bytes, count } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { LoadLine } from '../../../ui/small.tsx';
import { endFolderDownload, resumeFolderDownload } from './folder-download.ts';
import { type FolderDownload, folderDownloads } from './folder-downloads.ts';

export default function DownloadLines() {
  return (
    <>
      {folderDownloads.value.map((one) => (
        <DownloadLine key={one.id} one={one} />
      ))}
    </>
  );
}

function DownloadLine({ one }: { readonly one: FolderDownload }) {
  const texts = t().upload;
  const { state, failed, folder } = one;
  const part = one.bytes > 0 ? one.doneBytes / one.bytes : state === 'done' ? 1 : 0;
  const words = { interrupted: texts.saveBroken, moving: texts.savingTo, done: texts.savedTo };
  return (
    <>
      <div class="head" role="group" aria-label={`${words[state]} ${folder.name}`}>
        <Icon of={Download} />
        <span class="cut">
          {words[state]} <b>{folder.name}</b>
        </span>
        <span class="cut grow dim">{state !== 'interrupted' && factsOf(one)}</span>
        {failed.length > 0 && (
          <span class="failed-count" title={failed[0]?.why}>
            {texts.failed(failed.length)}
          </span>
        )}
        {(state === 'interrupted' || (state === 'done' && failed.length > 0)) && (
          <Button
            kind="secondary"
            label={state === 'interrupted' ? texts.goOn : texts.retryThese}
            onClick={() => void resumeFolderDownload(one)}
          />
        )}
        <Button
          icon={X}
          iconOnly
          label={state === 'moving' ? texts.endDownload : t().shell.close}
          onClick={() => void endFolderDownload(one.id)}
        />
      </div>
      {state === 'moving' && <LoadLine label={texts.savingTo} now={part} isThin />}
    </>
  );
}

/** `12 of 40 · 3.20 MB · 4 were there` */
function factsOf({ doneFiles, files, doneBytes, skipped }: FolderDownload): string {
  const texts = t().upload;
  const facts = [texts.ofTotal(count(doneFiles), count(files)), bytes(doneBytes)];
  if (skipped > 0) facts.push(texts.wereThere(count(skipped)));
  return facts.join(' · ');
}
