// Elements of the page by selector.

/** The first one; null: the page has none. */
export const find = <Found extends Element>(
  selector: string,
  within: ParentNode = document,
): Found | null => within.querySelector<Found>(selector);

/** All of them. */
export const findAll = <Found extends Element>(
  selector: string,
  within: ParentNode = document,
): readonly Found[] => [...within.querySelectorAll<Found>(selector)];

/** Says it to those who hear the page. */
export function announce(text: string): void {
  const status = find<HTMLElement>('#status');
  if (status !== null) status.textContent = text;
}
