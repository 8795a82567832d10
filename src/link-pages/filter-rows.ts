// Filters the rows of the page while somebody types; Enter searches the whole folder
// on the server, as it does without a script.
import { find, findAll } from './find.ts';

/** Watches the search field of a folder's page, if there is one. `onShown`: after each change. */
export function filterRows(onShown: () => void): void {
  const field = find<HTMLInputElement>('.search input[name=q]');
  const note = find<HTMLElement>('[data-no-hits]');
  const rows = findAll<HTMLElement>('.files > li').map((row) => {
    const name = find<HTMLElement>('.name', row);
    return { row, text: `${name?.title || name?.textContent}`.toLowerCase() };
  });
  // What was searched for stands in the field: it is no filter of its hits.
  const before = field?.value ?? '';
  field?.addEventListener('input', () => {
    const text = field.value === before ? '' : field.value.trim().toLowerCase();
    for (const each of rows) each.row.hidden = !each.text.includes(text);
    if (note !== null) note.hidden = rows.some(({ row }) => !row.hidden);
    onShown();
  });
}
