// The content of the row that the keyboard stands on, over the list.
import { lazy } from '../../app/lazy.tsx';
import type { FolderModel } from './use-folder.ts';

const QuickLook = lazy(() => import('../viewers/quick-look.tsx'), { takesKeys: true });

type LookProps = { readonly folder: FolderModel; readonly onClose: () => void };

export default function Look({ folder, onClose }: LookProps) {
  const { list, selection, bucket } = folder;
  void list.version.value;
  const index = selection.current.value;
  const entry = list.row(index);
  if (entry?.kind !== 'object') return null;
  const walk = (step: 1 | -1) => {
    // Folders have no content: the next object is looked for.
    for (let at = index + step; at >= 0 && at < list.count(); at += step) {
      list.need(at, at + 1);
      if (list.row(at)?.kind === 'folder') continue;
      selection.only(at);
      return;
    }
  };
  const close = () => {
    onClose();
    queueMicrotask(() => folder.grid.current?.focus());
  };
  return <QuickLook bucket={bucket} objectKey={entry.key} onClose={close} onWalk={walk} />;
}
