// Icons of the link pages: Lucide's shapes on a grid of 24, as the console draws them
// (docs/design.md, "Icons"). Source: https://lucide.dev, ISC licence
import { type Element, h } from './element.ts';

const SHAPES = {
  download: 'M12 15V3M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M7 10l5 5 5-5',
  file:
    'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.7.7l3.6 3.6A2.4 2.4 0 0 1 20 8v12' +
    'a2 2 0 0 1-2 2zM14 2v5a1 1 0 0 0 1 1h5',
  folder:
    'M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4' +
    'a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z',
  previous: 'm15 18-6-6 6-6',
  next: 'm9 18 6-6-6-6',
  search: 'M21 21l-4.34-4.34M19 11a8 8 0 1 1-16 0 8 8 0 0 1 16 0',
  failed: 'M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0M12 8v4M12 16h.01',
  done: 'M20 6 9 17l-5-5',
  copy:
    'M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2' +
    'M4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2',
  qr:
    'M3 3h5v5H3zM16 3h5v5h-5zM3 16h5v5H3zM21 16h-3a2 2 0 0 0-2 2v3M21 21v.01' +
    'M12 7v3a2 2 0 0 1-2 2H7M3 12h.01M12 3h.01M12 16v.01M16 12h1M21 12v.01M12 21v-1',
  terminal: 'm4 17 6-6-6-6M12 19h8',
  close: 'M18 6 6 18M6 6l12 12',
  open: 'M15 3h6v6M10 14 21 3M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6',
} as const;

export type IconName = keyof typeof SHAPES;

/** An icon beside a text that says the same: no reader hears of it. */
export function icon(name: IconName): Element {
  const attributes = { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' };
  return h('svg', attributes, h('path', { d: SHAPES[name] }));
}

/** Icons that rows of a list use over and over, once in the page; nothing is drawn. */
export function iconSprite(names: readonly IconName[]): Element {
  const symbols = names.map((name) =>
    h('symbol', { id: `icon-${name}`, viewBox: '0 0 24 24' }, h('path', { d: SHAPES[name] })),
  );
  return h('svg', { class: 'sprite', width: 0, height: 0, 'aria-hidden': 'true' }, ...symbols);
}

/** An icon of the page's sprite. */
export const spriteIcon = (name: IconName): Element =>
  h('svg', { class: 'icon', 'aria-hidden': 'true' }, h('use', { href: `#icon-${name}` }));

/** The mark of the product: flag Q with a mooring ring. */
export function mark(): Element {
  return h(
    'svg',
    { class: 'mark', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    h('rect', { width: 20, height: 20, rx: 3, fill: '#ffc629' }),
    h('circle', { cx: 9.6, cy: 8.9, r: 4.4, class: 'mark-line' }),
    h('path', { d: 'M3 15.9h14', class: 'mark-line' }),
  );
}
