// Keys that come before the code that takes them. Commands, menus and the filter line are
// loaded beside the first rows: what is pressed until they are there waits, in its order,
// and is pressed again then.

/** Keys that wait; what is older than a moment is nobody's intention any more. */
const KEYS_MAX = 32;
const WAITS_MS = 5000;
/** What commands, rows and menus take; with ⌘ or Ctrl the browser has most for itself. */
const PLAIN = /^(?:.|Arrow\w+|Page\w+|Home|End|Enter|Escape|Backspace|Delete|F2|F10)$/u;
const WITH_MOD = /^(?:k|a|ArrowUp)$/i;

const late: KeyboardEvent[] = [];
/** How many parts are shown and not there yet, and when the first of them began to load. */
let parts = 0;
let begunAtMs = 0;
let isReplaying = false;

/** Whether the key goes into a field. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(?:checkbox|radio|button)$/.test(target.type));

/** Whether the key presses what has the focus: a button, a link, an option. */
export const isPressing = ({ key, target }: KeyboardEvent): boolean =>
  (key === 'Enter' || key === ' ') &&
  target instanceof Element &&
  target.closest('a, button, summary, [role=option], [role^=menuitem]') !== null;

const isRecent = (atMs: number): boolean => performance.now() - atMs < WAITS_MS;
const isWaiting = (): boolean => parts > 0 && isRecent(begunAtMs);

function mayWait(event: KeyboardEvent): boolean {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  if (!event.isTrusted || event.isComposing || altKey) return false;
  if (!(ctrlKey || metaKey ? WITH_MOD : PLAIN).test(key)) return false;
  // What is typed after a key that waits is meant for what that key leads to.
  if (late.length > 0 || isReplaying) return true;
  const isTaken = isTyping(target) || isPressing(event);
  return !isTaken && document.querySelector('dialog:modal') === null;
}

function keep(event: KeyboardEvent): void {
  if (!(isWaiting() || isReplaying) || !mayWait(event)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (late.length < KEYS_MAX) late.push(event);
}

/** Lets keys wait until the returned function is called, or for some seconds. */
export function keepKeys(): () => void {
  addEventListener('keydown', keep, true);
  if (parts++ === 0) begunAtMs = performance.now();
  return () => {
    parts--;
    void replay();
  };
}

/** Presses again what waits, each key after what the one before it led to is drawn. */
async function replay(): Promise<void> {
  if (isReplaying) return;
  isReplaying = true;
  do {
    await new Promise((resolve) => setTimeout(resolve));
    if (isWaiting()) break;
    const event = late.shift();
    if (event !== undefined && isRecent(event.timeStamp)) press(event);
  } while (late.length > 0);
  isReplaying = false;
}

function press(event: KeyboardEvent): void {
  const target = document.activeElement ?? document.body;
  if (!target.dispatchEvent(new KeyboardEvent('keydown', event))) return;
  // What the browser does by itself it does not for a script.
  const { key, ctrlKey, metaKey } = event;
  if (key === 'Escape') {
    const closing = new Event('cancel', { cancelable: true });
    target.closest('dialog:modal')?.dispatchEvent(closing);
  } else if (key === 'Enter' && target instanceof HTMLElement && target.matches('a, button')) {
    target.click();
  } else if (target instanceof HTMLInputElement && !ctrlKey && !metaKey) {
    if (key === 'Enter') target.form?.requestSubmit();
    else if ([...key].length === 1) type(target, key);
  }
}

function type(field: HTMLInputElement, data: string): void {
  const { selectionStart: from, selectionEnd: to } = field;
  // Numbers and dates have no such place.
  if (from === null || to === null) return;
  field.setRangeText(data, from, to, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, data }));
}
