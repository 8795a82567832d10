// Says how much is selected, selects all, and a range with Shift. Without it boxes and
// button work all the same.
import { find, findAll } from './find.ts';
import { formatBytes } from './format-bytes.ts';

/** Rows that a filter hides are not selected with all others. */
const isShown = (box: HTMLInputElement): boolean => box.closest('li')?.hidden === false;

/**
 * Watches the form of a folder's page, if there is one. Returns what is to be called when
 * other rows are shown.
 */
export function pickFiles(): () => void {
  const form = find<HTMLFormElement>('[data-picks-max]');
  if (form === null) return () => undefined;
  const all = find<HTMLElement>('[data-pick-all]', form);
  const boxOfAll = all === null ? null : find<HTMLInputElement>('input', all);
  const boxes = findAll<HTMLInputElement>('input[name=pick]', form);
  let last: HTMLInputElement | null = null;
  if (all !== null) all.hidden = false;

  const update = () => describe(form, boxes, boxOfAll);
  boxOfAll?.addEventListener('change', () => {
    for (const box of boxes) if (isShown(box)) box.checked = boxOfAll.checked;
    update();
  });
  form.addEventListener('click', ({ target, shiftKey }) => {
    if (!(target instanceof HTMLInputElement) || target.name !== 'pick') return;
    if (shiftKey && last !== null) {
      const [from = 0, to = 0] = [boxes.indexOf(last), boxes.indexOf(target)].sort((a, b) => a - b);
      for (const box of boxes.slice(from, to + 1)) if (isShown(box)) box.checked = target.checked;
    }
    last = target;
    update();
  });
  // Back brings the boxes as they were.
  addEventListener('pageshow', update);
  update();
  return update;
}

function describe(
  form: HTMLFormElement,
  boxes: readonly HTMLInputElement[],
  boxOfAll: HTMLInputElement | null,
): void {
  const picked = boxes.filter(({ checked }) => checked);
  const bytes = picked.reduce((sum, { dataset }) => sum + Number(dataset.size ?? 0), 0);
  const output = find<HTMLOutputElement>('output', form);
  const button = find<HTMLButtonElement>('.pick-bar button', form);
  const isTooMany = picked.length > Number(form.dataset.picksMax);
  if (button !== null) button.disabled = picked.length === 0 || isTooMany;
  if (output !== null) {
    // How large a folder is nobody knows before it is sent.
    const isKnown = picked.every(({ dataset }) => dataset.size !== undefined);
    const { picked: whole = '', pickedUnknown = '', tooMany = '' } = output.dataset;
    const said = (isKnown ? whole : pickedUnknown)
      .replace('{count}', picked.length.toLocaleString())
      .replace('{size}', formatBytes(bytes));
    output.textContent = picked.length === 0 ? '' : isTooMany ? tooMany : said;
  }
  if (boxOfAll === null) return;
  const shown = boxes.filter(isShown);
  const isAll = shown.length > 0 && shown.every(({ checked }) => checked);
  boxOfAll.checked = isAll;
  boxOfAll.indeterminate = picked.length > 0 && !isAll;
}
