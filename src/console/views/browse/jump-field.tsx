// The small field of `'`: what is typed is gone to, the first name at or behind it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isGivenUp } from '../../api/describe-error.ts';
import { t } from '../../i18n/i18n.ts';
import { sayError } from './folder-actions.ts';
import type { FolderModel } from './use-folder.ts';

type JumpFieldProps = { readonly folder: FolderModel; readonly onClose: () => void };

export function JumpField({ folder, onClose }: JumpFieldProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [isMissing, setMissing] = useState(false);
  const asked = useRef(0);
  useLayoutEffect(() => ref.current?.focus(), []);

  async function jump(text: string): Promise<void> {
    const turn = ++asked.current;
    try {
      const index = text === '' ? 0 : await folder.list.seek(text);
      // A later text was typed meanwhile.
      if (turn !== asked.current) return;
      setMissing(index < 0);
      if (index < 0) return;
      folder.selection.moveTo(index);
      folder.grid.current?.scrollTo(index);
    } catch (error) {
      if (!isGivenUp(error)) sayError(error);
    }
  }

  const close = () => {
    onClose();
    queueMicrotask(() => folder.grid.current?.focus());
  };
  return (
    <div class="jump-field">
      <input
        ref={ref}
        class="input"
        aria-label={t().browse.jump}
        placeholder={t().browse.jump}
        aria-invalid={isMissing}
        spellcheck={false}
        autocapitalize="off"
        onInput={(event) => void jump(event.currentTarget.value)}
        onBlur={onClose}
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
          event.preventDefault();
          event.stopPropagation();
          close();
        }}
      />
    </div>
  );
}
