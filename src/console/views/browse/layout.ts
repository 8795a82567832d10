// How a folder is shown: view, columns and their widths. Each folder remembers its
// own in this browser.
import { signal } from '@preact/signals';
import type { ViewKind } from './folder-address.ts';

export type ColumnId = 'readers' | 'size' | 'modified';
export type Layout = {
  readonly view: ViewKind;
  readonly columns: readonly ColumnId[];
  /** Pixels of columns that were drawn wider or narrower. */
  readonly widths: Readonly<Partial<Record<ColumnId, number>>>;
};

export const COLUMNS: readonly ColumnId[] = ['readers', 'size', 'modified'];
/** Widths before somebody drags, pixels: dates of both languages fit. */
export const WIDTHS: Readonly<Record<ColumnId, number>> = { readers: 116, size: 88, modified: 122 };
const WIDTH_MIN = 60;
const WIDTH_MAX = 480;

const STANDARD: Layout = { view: 'list', columns: COLUMNS, widths: {} };
const STORED_AS = 'quayside-layouts';
/** Folders whose layout is kept; the least recently changed one makes room. */
const FOLDERS_MAX = 300;

type Stored = readonly (readonly [string, Layout])[];
const layouts = signal<Stored>(readStored());

function readStored(): Stored {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isStored) : [];
  } catch {
    return [];
  }
}

function isStored(value: unknown): value is Stored[number] {
  if (!Array.isArray(value)) return false;
  const [place, layout] = value as [unknown, Partial<Layout> | null];
  return typeof place === 'string' && Array.isArray(layout?.columns) && layout.widths !== null;
}

export const layoutOf = (place: string): Layout =>
  layouts.value.find(([one]) => one === place)?.[1] ?? STANDARD;

export function changeLayout(place: string, changes: Partial<Layout>): void {
  const layout: Layout = { ...layoutOf(place), ...changes };
  const others = layouts.value.filter(([one]) => one !== place);
  layouts.value = [[place, layout] as const, ...others].slice(0, FOLDERS_MAX);
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(layouts.value));
  } catch {
    // Without storage the layout lasts as long as the page.
  }
}

export const widthOf = ({ widths }: Layout, column: ColumnId): number =>
  widths[column] ?? WIDTHS[column];

export const clampWidth = (px: number): number =>
  Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, px)));

/** The tracks of the list: box, name, columns, menu. */
export const tracksOf = (layout: Layout): string => {
  const columns = COLUMNS.filter((column) => layout.columns.includes(column));
  const widths = columns.map((column) => `${widthOf(layout, column)}px`);
  return ['24px', 'minmax(120px, 1fr)', ...widths, '32px'].join(' ');
};
