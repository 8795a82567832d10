// Commands that bring files into a folder and take them out of it.
import { Download, FilePlus, FolderDown, History, Upload } from 'lucide';
import type { Command } from '../../app/commands.ts';
import { withPart } from '../../app/lazy.tsx';
import { loadRest } from '../../app/load-rest.ts';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import type { Selection } from '../browse/selection.ts';
import { canSaveToFolder, download, downloadToFolder } from './download/downloads.ts';
import { openUpload } from './open-upload.tsx';

/** Its editor has the styles of viewers. */
const newText = async () => {
  const [part] = await Promise.all([import('./choose/new-text.tsx'), loadRest()]);
  return part;
};
const unfinished = () => import('./resume/unfinished.tsx');

/** What can be brought into a folder and taken out of it. */
export function uploadCommands(bucket: string, prefix: string): Command[] {
  const texts = t().upload;
  const off = may('objects:write') ? undefined : texts.readOnly;
  const whole: Selection = { bucket, prefix, rows: [], isAll: true };
  return [
    {
      id: 'upload',
      label: texts.upload,
      keys: ['u'],
      icon: Upload,
      off,
      run: () => openUpload(bucket, prefix),
    },
    {
      id: 'upload.text',
      label: texts.newText,
      icon: FilePlus,
      off,
      run: () => withPart(newText, ({ openNewText }) => openNewText(bucket, prefix)),
    },
    {
      id: 'upload.unfinished',
      label: texts.unfinished,
      icon: History,
      off,
      run: () => withPart(unfinished, (part) => part.openUnfinished(bucket, prefix)),
    },
    {
      id: 'download.zip',
      label: texts.downloadZip,
      icon: Download,
      run: () => download(whole),
    },
    {
      id: 'download.folder',
      label: texts.saveToFolder,
      icon: FolderDown,
      off: canSaveToFolder ? undefined : texts.noFolderAccess,
      run: () => downloadToFolder(whole),
    },
  ];
}
