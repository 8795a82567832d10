// The upload dock, which stands under every view while something is sent, and offers what
// earlier pages left unfinished. It never covers the view.
import { Upload } from 'lucide';
import { useEffect } from 'preact/hooks';
import { lazy, withPart } from '../../app/lazy.tsx';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { looking } from './bring-in.ts';
import { folderDownloads } from './download/folder-downloads.ts';
import { interrupted } from './resume/keep.ts';
import { snapshot } from './send/upload-store.ts';

const leftUnfinished = () => import('./resume/left-unfinished.ts');
const Uploads = lazy(() => import('./dock-uploads.tsx'), { isOfFolder: true });
const DownloadLines = lazy(() => import('./download/download-lines.tsx'), { isOfFolder: true });
const InterruptedLines = lazy(() => import('./resume/interrupted.tsx'), { isOfFolder: true });

export default function Dock() {
  useEffect(() => {
    withPart(leftUnfinished, (part) => {
      void part.loadInterrupted();
      void part.loadFolderDownloads();
    });
  }, []);
  const isEmpty = snapshot.value.totals.files === 0;
  const isInterrupted = interrupted.value.length > 0;
  const hasDownloads = folderDownloads.value.length > 0;
  if (isEmpty && looking.value === 0 && !isInterrupted && !hasDownloads) return null;
  return (
    <section class="dock" aria-label={t().upload.dock}>
      {isInterrupted && <InterruptedLines />}
      {hasDownloads && <DownloadLines />}
      {looking.value > 0 && <Looking />}
      {!isEmpty && <Uploads />}
    </section>
  );
}

/** One line while it is looked what is there, before anything is sent. */
function Looking() {
  // What comes next must be there when the line is lost.
  useEffect(() => Uploads.preload(), []);
  return (
    <div class="head" role="status">
      <Icon of={Upload} />
      <span class="cut grow">{t().upload.looks(count(looking.value))}</span>
    </div>
  );
}
