// Elements of the link pages, made by hono/jsx: every text and attribute is escaped
// when the page becomes a string, so no part of a page is ever put together by hand.
// Node runs the sources as they stand and strips types alone, so elements are made by
// calls, not in JSX syntax. The one place that knows hono/jsx.
import { type JSXNode, jsx } from 'hono/jsx';

export type Element = JSXNode;
export type Child = Element | string | number | null | readonly Child[];

/** `undefined` leaves an attribute out; `true` of a boolean one writes its name. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Makes one element: `h('p', { class: 'lead' }, text)`. */
export function h(
  tag: string,
  attributes: Attributes | null = null,
  ...children: readonly Child[]
): Element {
  return jsx(tag, { ...attributes }, ...(children as Parameters<typeof jsx>[2][]));
}

/** The element as HTML. */
export function toHtml(element: Element): string {
  const html = element.toString();
  // Only components that wait for something make a promise of a page; there are none.
  if (typeof html !== 'string') throw new Error('A link page must be made at once.');
  return html;
}
