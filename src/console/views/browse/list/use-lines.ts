// Heights of rows and heads as the styles have them, and how many tiles stand in a line.
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ViewKind } from '../folder-address.ts';

type Lines = { readonly linePx: number; readonly perLine: number; readonly headPx: number };

/** Narrowest tiles, and what stands below their picture, pixels. */
const TILE_MIN_PX = { grid: 148, gallery: 248 } as const;
const CAPTION_PX = { grid: 52, gallery: 56 } as const;
/** Height of a picture as a part of the tile's width. */
const PICTURE = { grid: 0.7, gallery: 0.75 } as const;
const HEAD_PX = 28;
const ROW_PX = 32;
/** Below this width there are no heads: the phone's layout. */
const PHONE_PX = 720;

const phoneQuery = matchMedia(`(width < ${PHONE_PX}px)`);
/** Whether the window has the layout of phones. */
export const phone = signal(phoneQuery.matches);
phoneQuery.addEventListener('change', () => {
  phone.value = phoneQuery.matches;
});

export function useLines(
  view: ViewKind,
  density: string,
): Lines & {
  readonly ref: { current: HTMLDivElement | null };
} {
  const ref = useRef<HTMLDivElement>(null);
  const [lines, setLines] = useState<Lines>({ linePx: ROW_PX, perLine: 1, headPx: HEAD_PX });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setLines(measureLines(element, view));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [view, density]);
  return { ref, ...lines };
}

function measureLines(element: HTMLElement, view: ViewKind): Lines {
  const headPx = phone.value || view !== 'list' ? 0 : HEAD_PX;
  if (view === 'list') {
    const rowPx = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row'));
    return { linePx: rowPx > 0 ? rowPx : ROW_PX, perLine: 1, headPx };
  }
  const perLine = Math.max(2, Math.floor(element.clientWidth / TILE_MIN_PX[view]));
  const tilePx = element.clientWidth / perLine;
  return { linePx: Math.round(tilePx * PICTURE[view]) + CAPTION_PX[view], perLine, headPx };
}
