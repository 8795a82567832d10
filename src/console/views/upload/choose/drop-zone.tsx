// The dashed area that takes drops, with buttons for whoever has no mouse.
import { FolderUp, Upload } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../i18n/i18n.ts';
import { Button } from '../../../ui/button.tsx';
import { listenForDrops } from './drops.ts';
import { type Chosen, chosenByInput, chosenFolder } from './read-files.ts';

type ZoneProps = {
  readonly onChosen: (chosen: Chosen) => void;
  readonly hint?: string;
  readonly children?: ComponentChildren;
};

/** A dashed area that takes drops, with buttons for whoever has no mouse. */
export function UploadDropZone({ onChosen, hint = t().upload.dropHint, children }: ZoneProps) {
  const zone = useRef<HTMLDivElement>(null);
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const latest = useRef(onChosen);
  latest.current = onChosen;
  useEffect(() => {
    if (zone.current === null) return;
    const take = (chosen: Chosen) => latest.current(chosen);
    return listenForDrops(zone.current, () => ({ words: t().upload.upload, take }));
  }, []);

  const choose = async (input: HTMLInputElement | null, isFolder: boolean) => {
    const chosen = await chosenFolder(isFolder);
    if (chosen === 'unsupported') input?.click();
    else if (chosen !== null) onChosen(chosen);
  };
  const changed = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    const input = event.currentTarget;
    if (input.files !== null && input.files.length > 0) onChosen(chosenByInput(input.files));
    input.value = '';
  };
  const common = { type: 'file', multiple: true, hidden: true, onChange: changed } as const;
  return (
    <div class="drop-zone" ref={zone}>
      <span class="dim">{hint}</span>
      <div class="drop-ways">
        <Button
          kind="secondary"
          icon={Upload}
          label={t().upload.chooseFiles}
          autofocus
          onClick={() => void choose(filesInput.current, false)}
        />
        <Button
          kind="secondary"
          icon={FolderUp}
          label={t().upload.chooseFolder}
          onClick={() => void choose(folderInput.current, true)}
        />
      </div>
      <input {...common} ref={filesInput} aria-label={t().upload.chooseFiles} />
      <input
        {...common}
        ref={folderInput}
        aria-label={t().upload.chooseFolder}
        {...{ webkitdirectory: true }}
      />
      {children}
    </div>
  );
}
