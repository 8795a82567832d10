// What a press on a row does, listened for once above all rows: a row that comes into view
// brings no listeners of its own.
import { isMac } from '../../../app/commands.ts';
import { exactTime } from '../../../i18n/format.ts';
import type { SelectionModel } from '../selection-model.ts';
import { type Entry, keyOf, type RowList } from './row-list.ts';
import { touchHandlers } from './touch.ts';

export type RowActs = {
  readonly list: RowList;
  readonly selection: SelectionModel;
  readonly onOpen: (entry: Entry) => void;
  /** Opens the menu of what is selected, under an element where no pointer says the place. */
  readonly onMenu: (event: Event, under: Element) => void;
  /** Drags what is selected. */
  readonly onDrag: (event: DragEvent) => void;
  readonly onTooLong: () => void;
};

/** Listeners for the element around all rows. */
export function rowEvents(acts: RowActs) {
  const { list, selection } = acts;
  const entryAt = (event: Event) => list.row(indexAt(event));
  const open = (event: Event) => {
    const entry = entryAt(event);
    if (entry !== undefined) acts.onOpen(entry);
  };
  /** Selects the row of the event unless it is; false: it is not loaded. */
  const takeRow = (event: Event): boolean => {
    const entry = entryAt(event);
    if (entry !== undefined && !selection.has(keyOf(entry))) selection.only(indexAt(event));
    return entry !== undefined;
  };
  const { takesMenu, ...touch } = touchHandlers(selection, indexAt, open);
  return {
    ...touch,
    onFocusIn: (event: FocusEvent) => {
      const index = indexAt(event);
      if (event.target === rowOf(event) && selection.current.value !== index) {
        selection.moveTo(index);
      }
    },
    onClick: (event: MouseEvent) => {
      const button = within(event, 'button');
      if (button !== null) {
        if (takeRow(event)) acts.onMenu(event, button);
      } else if (within(event, 'a') === null) selectByClick(event, acts);
      else if (isPlain(event)) {
        event.preventDefault();
        open(event);
      }
    },
    onDblClick: (event: MouseEvent) => {
      if (!isControl(event.target)) open(event);
    },
    onContextMenu: (event: MouseEvent) => {
      const row = rowOf(event);
      if (row === null || takesMenu(event) || !takeRow(event)) return;
      row.focus({ preventScroll: true });
      acts.onMenu(event, row);
    },
    onDragStart: (event: DragEvent) => {
      if (takeRow(event)) acts.onDrag(event);
    },
    // The tooltip of a time is dear to word: it is made under the pointer alone.
    onMouseOver: ({ target }: MouseEvent) => {
      if (target instanceof HTMLTimeElement) target.title = exactTime(target.dateTime);
    },
  };
}

const within = ({ target }: Event, selector: string): HTMLElement | null =>
  target instanceof Element ? target.closest(selector) : null;

const rowOf = (event: Event) => within(event, '.row');

/** The position of the row that an event came from; -1: it came from none. */
const indexAt = (event: Event): number => Number(rowOf(event)?.dataset.index ?? -1);

export const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button, input') !== null;

export const isMod = (event: MouseEvent | KeyboardEvent): boolean =>
  isMac ? event.metaKey : event.ctrlKey;

const isPlain = (event: MouseEvent): boolean =>
  !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0;

function selectByClick(event: MouseEvent, { selection, onTooLong }: RowActs): void {
  const index = indexAt(event);
  if (index === -1) return;
  if (event.shiftKey) {
    event.preventDefault();
    void selection.extendTo(index, isMod(event)).then((isDone) => isDone || onTooLong());
  } else if (within(event, '.pick') !== null || isMod(event)) selection.toggle(index);
  else selection.only(index);
  rowOf(event)?.focus({ preventScroll: true });
}
