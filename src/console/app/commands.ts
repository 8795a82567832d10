// Commands: what can be done now, each with its name and key. A view registers its
// own while it is shown; the keyboard (keys.ts), the palette and the list of keys
// read them all from here.
import { signal } from '@preact/signals';
import type { IconNode } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';

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

/** Whose commands they are: those of the frame come after those of every view. */
type Layer = 'view' | 'frame';

/** Registers commands as long as the component is shown. */
export function useCommands(own: readonly Command[], from: Layer = 'view'): void {
  const latest = useRef(own);
  latest.current = own;
  // With the view itself, not after it is painted: a key may follow at once.
  useLayoutEffect(() => {
    // Labels and conditions change: the layer reads them when it is asked.
    const layer: readonly Command[] = new Proxy([] as Command[], {
      get: (_, name) => Reflect.get(latest.current, name),
      has: (_, name) => Reflect.has(latest.current, name),
    });
    layers.value = from === 'view' ? [layer, ...layers.value] : [...layers.value, layer];
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
    Escape: 'Esc',
    ' ': 'Space',
  };
  const parts = keys.split(/(?<=\+)/);
  const labels = parts.map((part) => names[part] ?? part.toUpperCase());
  return labels.join('');
}
