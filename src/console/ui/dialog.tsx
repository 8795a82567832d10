// Dialogs: the platform's own, shown as long as they are rendered. The title is the
// act; Esc and a click outside close unless something was typed, then it asks once.
import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { Button } from './button.tsx';

export type DialogProps = {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  /** Sent by the primary button, Enter in a field, or ⌘Enter. */
  readonly onSubmit?: () => void;
  /** Whether closing would lose something that was typed. */
  readonly isDirty?: boolean;
  /** Whether the children are a form of their own. */
  readonly hasForm?: boolean;
  /** Pixels; 560 by default. */
  readonly width?: number;
  /** Buttons, right; what belongs left has the class `gap` after it. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

export function Dialog(props: DialogProps) {
  const { title, onClose, onSubmit, isDirty = false, width = 560, actions, children } = props;
  const Body = props.hasForm === true ? 'div' : 'form';
  const ref = useRef<HTMLDialogElement>(null);
  const [isAsking, setAsking] = useState(false);
  const titleId = useId();

  useEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);

  function close(): void {
    if (isDirty && !isAsking) setAsking(true);
    else onClose();
  }

  return (
    <dialog
      ref={ref}
      class="dialog"
      style={{ '--w': `${width}px` }}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) close();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSubmit?.();
      }}
    >
      <Body
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <header>
          <h2 id={titleId} class="grow">
            {title}
          </h2>
          <Button icon={X} iconOnly label={t().shell.close} onClick={close} />
        </header>
        <div class="body">{children}</div>
        {isAsking && (
          <div class="banner" role="alert">
            <span class="grow">{t().shell.unsaved}</span>
            <Button label={t().shell.discard} onClick={onClose} />
            <Button label={t().shell.keepEditing} onClick={() => setAsking(false)} />
          </div>
        )}
        {actions !== undefined && actions !== false && <footer>{actions}</footer>}
      </Body>
    </dialog>
  );
}
