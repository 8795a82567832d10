// Dialogs: the platform's own, shown as long as they are rendered. The title is the
// act; Esc and a click outside close unless something was typed, then it asks once.
import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { Button, type ButtonProps } from './button.tsx';
import { InlineError } from './small.tsx';

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

type CancelOrProps = ButtonProps & {
  readonly onCancel: () => void;
  /** Whether Enter cancels at first: where the act loses or opens something. */
  readonly focusesCancel?: boolean;
};

/** The buttons at the foot of a dialog: Cancel, and the act that it is about. */
export function CancelOr({ onCancel, focusesCancel = false, ...act }: CancelOrProps) {
  return (
    <>
      <Button
        kind="secondary"
        label={t().shell.cancel}
        onClick={onCancel}
        autofocus={focusesCancel}
      />
      <Button {...act} />
    </>
  );
}

type ActDialogProps = Omit<DialogProps, 'actions' | 'onSubmit'> &
  Pick<ButtonProps, 'kind' | 'icon' | 'label' | 'off'> &
  Pick<CancelOrProps, 'focusesCancel'> & {
    readonly onSubmit: () => void;
    /** Whether the act is under way, and what failed, which is said below the children. */
    readonly act: { readonly isBusy: boolean; readonly error?: string | null };
  };

/** A dialog about one act, with Cancel beside its button. */
export function ActDialog(props: ActDialogProps) {
  const { kind = 'primary', focusesCancel = kind === 'danger', icon, label, off, act } = props;
  const { isBusy, error = null } = act;
  const button = { kind, icon, label, off, isBusy, focusesCancel };
  return (
    <Dialog
      width={500}
      {...props}
      actions={<CancelOr {...button} onCancel={props.onClose} type="submit" />}
    >
      {props.children}
      {error !== null && <InlineError text={error} />}
    </Dialog>
  );
}

const PRIMARY = 'footer [type=submit]';
/** What has the focus at first, where nothing says otherwise. */
const FIRST_FIELD = '.body :is(input:not([hidden], [readonly]), select, textarea)';

export function Dialog(props: DialogProps) {
  const { title, onClose, onSubmit, isDirty = false, width = 560, actions, children } = props;
  const Body = props.hasForm === true ? 'div' : 'form';
  const ref = useRef<HTMLDialogElement>(null);
  const [isAsking, setAsking] = useState(false);
  const titleId = useId();

  // Before the browser takes another key: what is typed ahead is for the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    dialog?.showModal();
    const isChosen = dialog?.querySelector('[autofocus]') != null;
    if (!isChosen) dialog?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);

  // What had the focus may go when a dialog shows its next part.
  useLayoutEffect(() => {
    if (document.activeElement !== document.body) return;
    const dialog = ref.current;
    const primary = dialog?.querySelector<HTMLElement>(PRIMARY);
    (primary ?? dialog)?.focus();
  });

  function close(): void {
    if (isDirty && !isAsking) setAsking(true);
    else onClose();
  }

  return (
    <dialog
      ref={ref}
      class="dialog"
      tabIndex={-1}
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
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        // A primary button that is off says why; its key does no more than it.
        const primary = ref.current?.querySelector(PRIMARY);
        if (primary?.getAttribute('aria-disabled') !== 'true') onSubmit?.();
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
