// The keys that run commands: one, or two after each other.
import { commands, isMac } from './commands.ts';
import { isPressing, isTyping } from './late-keys.ts';
import { letterKeys } from './preferences.ts';

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

/** Keys that fields have themselves: select all, copy, undo, moving the caret. */
const EDITING = /^Mod\+(?:Shift\+)?(?:[acvxyz]|Arrow\w+|Backspace|Delete|Home|End)$/;

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
