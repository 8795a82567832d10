// Buttons and links that look like them. One primary a view; the label is a verb
// with its object and number.
import type { IconNode } from 'lucide';
import type { ComponentChildren, Ref } from 'preact';
import { href } from '../app/router.ts';
import { Icon } from './icon.tsx';

export type ButtonKind = 'quiet' | 'primary' | 'secondary' | 'open' | 'danger' | 'red';

type Look = {
  readonly kind?: ButtonKind;
  readonly icon?: IconNode | undefined;
  /** The words; with `iconOnly` they are for readers and the tooltip. */
  readonly label: string;
  readonly iconOnly?: boolean;
  readonly big?: boolean;
  /** Its key, for the tooltip. */
  readonly keys?: string;
  /** Not shown on phones. */
  readonly wide?: boolean;
  readonly children?: ComponentChildren;
};

export type ButtonProps = Look & {
  readonly onClick?: (event: MouseEvent) => void;
  readonly type?: 'button' | 'submit';
  /** Why it can't be pressed; absent or null: it can. */
  readonly off?: string | null | undefined;
  /** The word stays and what it does is under way. */
  readonly isBusy?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  readonly popovertarget?: string;
  readonly form?: string;
  readonly autofocus?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
};

function classOf({ kind = 'quiet', iconOnly = false, big = false, wide = false }: Look): string {
  return ['button', kind, iconOnly && 'icon-only', big && 'big', wide && 'wide']
    .filter((name) => name !== false && name !== 'quiet')
    .join(' ');
}

const titleOf = ({ label, iconOnly, keys }: Look): string | undefined => {
  if (keys !== undefined) return `${label} (${keys})`;
  return iconOnly === true ? label : undefined;
};

function Content({ icon, label, iconOnly, children }: Look) {
  return (
    <>
      {icon !== undefined && <Icon of={icon} />}
      {iconOnly !== true && <span class="button-label">{label}</span>}
      {children}
    </>
  );
}

export function Button(props: ButtonProps) {
  const { off = null, isBusy = false } = props;
  return (
    <button
      ref={props.buttonRef ?? null}
      type={props.type ?? 'button'}
      class={classOf(props)}
      title={off ?? titleOf(props)}
      aria-label={props.iconOnly === true ? props.label : undefined}
      aria-disabled={off !== null || isBusy ? 'true' : undefined}
      aria-busy={isBusy ? 'true' : undefined}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      popovertarget={props.popovertarget}
      form={props.form}
      autofocus={props.autofocus}
      onClick={(event) => {
        // A button that is off stays in the tab order, so that its reason can be read.
        if (off !== null || isBusy) event.preventDefault();
        else props.onClick?.(event);
      }}
    >
      <Content {...props} />
    </button>
  );
}

/** A link within the console, by its path below it. */
export function LinkButton({ to, ...look }: Look & { readonly to: string }) {
  return (
    <a
      class={classOf(look)}
      href={href(to)}
      title={titleOf(look)}
      aria-label={look.iconOnly === true ? look.label : undefined}
    >
      <Content {...look} />
    </a>
  );
}
