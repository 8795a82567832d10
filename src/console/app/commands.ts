// Commands: what can be done now, each with its name and key. A view registers its
// own while it is shown; the keyboard, the palette and the list of keys read them
// all from here.
import { signal } from '@preact/signals';
import type { IconNode } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { letterKeys } from './preferences.ts';

export type Command = {
  /** Unique among all commands: `browse.rename`. */
  readonly id: string;
  /** A verb with its object, in the language that is shown. */
  readonly label: string;
  /**
   * Keys as `KeyboardEvent.key` names them, with `Mod+` for ⌘ or Ctrl, `Shift+`,
   * `Alt+`; `g b` is g, then b.
   */
  readonly keys?: readonly string[];
  readonly icon?: IconNode;
  /** Why it can't be done now; absent: it can. */
  readonly off?: string | undefined;
  readonly run: () => void;
};

const layers = signal<readonly (readonly Command[])[]>([]);

/** All commands of now, those of the innermost view first. */
export const commands = (): readonly Command[] => layers.value.flat();

/** Registers commands as long as the component is shown. */
export function useCommands(own: readonly Command[]): void {
  const latest = useRef(own);
  latest.current = own;
  // With the view itself, not after it is painted: a key may follow at once.
  useLayoutEffect(() => {
    // Labels and conditions change: the layer reads them when it is asked.
    const layer: readonly Command[] = new Proxy([] as Command[], {
      get: (_, name) => Reflect.get(latest.current, name),
      has: (_, name) => Reflect.has(latest.current, name),
    });
    layers.value = [layer, ...layers.value];
    return () => {
      layers.value = layers.value.filter((one) => one !== layer);
    };
  }, []);
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** How a key is shown: `⌘K` or `Ctrl K`, `G B` for two. */
export function keyLabel(keys: string): string {
  const names: Readonly<Record<string, string>> = {
    'Mod+': isMac ? '⌘' : 'Ctrl ',
    'Shift+': isMac ? '⇧' : 'Shift ',
    'Alt+': isMac ? '⌥' : 'Alt ',
    Delete: 'Del',
    Backspace: '⌫',
    ArrowUp: '↑',
    ArrowDown: '↓',
    Enter: '↵',
  };
  const parts = keys.split(/(?<=\+)/);
  const labels = parts.map((part) => names[part] ?? part.toUpperCase());
  return labels.join('');
}

/** The event in the notation of `Command.keys`. */
function keysOf(event: KeyboardEvent): string {
  const isMod = isMac ? event.metaKey : event.ctrlKey;
  const isLetter = /^[a-z]$/i.test(event.key);
  const isShifted = event.shiftKey && (isLetter || event.key.length > 1);
  const key = isLetter ? event.key.toLowerCase() : event.key;
  return `${isMod ? 'Mod+' : ''}${event.altKey ? 'Alt+' : ''}${isShifted ? 'Shift+' : ''}${key}`;
}

/** How long the first key of two waits for the second, milliseconds. */
const SECOND_KEY_MS = 1200;
let first: { readonly key: string; readonly atMs: number } | null = null;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(?:checkbox|radio|button)$/.test(target.type));

/** Keys that fields have themselves: select all, copy, undo, moving the caret. */
const EDITING = /^Mod\+(?:Shift\+)?(?:[acvxyz]|Arrow\w+|Backspace|Delete|Home|End)$/;

/** Whether the key presses what has the focus: a button, a link, an option. */
const isPressing = ({ key, target }: KeyboardEvent): boolean =>
  (key === 'Enter' || key === ' ') &&
  target instanceof Element &&
  target.closest('a, button, summary, [role=option], [role^=menuitem]') !== null;

/** Runs the command whose key was pressed. An open dialog has its own keys. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isPressing(event)) return;
  const keys = keysOf(event);
  const isPlain = keys.length === 1;
  if (isTyping(event.target) && (!keys.startsWith('Mod+') || EDITING.test(keys))) return;
  if (isPlain && /[a-z]/.test(keys) && !letterKeys.value) return;
  if (document.querySelector('dialog:modal') !== null && keys !== 'Mod+k') return;

  const isSecond = first !== null && performance.now() - first.atMs < SECOND_KEY_MS;
  const sequence = isSecond ? `${first?.key} ${keys}` : keys;
  first = null;
  const all = commands();
  const command =
    all.find((one) => one.keys?.includes(sequence)) ?? all.find((one) => one.keys?.includes(keys));
  if (command !== undefined) {
    event.preventDefault();
    if (command.off === undefined) command.run();
    return;
  }
  if (all.some((one) => one.keys?.some((known) => known.startsWith(`${keys} `)))) {
    first = { key: keys, atMs: performance.now() };
  }
}
