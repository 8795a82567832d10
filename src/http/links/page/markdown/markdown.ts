// The owner's text of a link's page: a small part of Markdown, as elements. HTML in it
// is text like any other. Linear in its length, which is bounded.
import { LINK_TEXT_MAX_LENGTH } from '../../../../domain/links/link-limits.ts';
import { type Child, type Element, h } from '../element.ts';
import { visibleText } from '../shown-name.ts';
import { inlineElements } from './inline.ts';

const HEADING = /^ {0,3}(#{1,6})[ \t](.*)$/;
const BULLET = /^ {0,3}[-*+][ \t](.*)$/;
const NUMBER = /^ {0,3}(\d{1,9})[.)][ \t](.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The text as elements, of any direction of writing; null: there is none. */
export function markdown(text: string | null): Element | null {
  if (text === null || text.trim() === '') return null;
  const lines = text.slice(0, LINK_TEXT_MAX_LENGTH).split(/\r\n?|\n/);
  const blocks: Child[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, count } = blockAt(lines, at);
    if (block !== null) blocks.push(block);
    at += count;
  }
  return h('div', { class: 'prose lead', dir: 'auto' }, ...blocks);
}

/** A block and how many lines it takes; at least one. */
type Block = { readonly block: Element | null; readonly count: number };

function blockAt(lines: readonly string[], at: number): Block {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { block: null, count: 1 };
  const [, fence] = FENCE.exec(line) ?? [];
  if (fence !== undefined) return codeAt(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading !== null) return { block: headingOf(heading), count: 1 };
  if (BULLET.test(line)) return listAt(lines, at, BULLET);
  if (NUMBER.test(line)) return listAt(lines, at, NUMBER);
  return paragraphAt(lines, at);
}

/** The page has its own `h1`, so the text begins one level below. */
function headingOf([, signs = '', text = '']: RegExpExecArray): Element {
  return h(signs.length === 1 ? 'h2' : 'h3', null, ...inlineElements(text.trim()));
}

/** Lines up to the fence that closes it, or to the end. */
function codeAt(lines: readonly string[], at: number, fence: string): Block {
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? '').trimStart().startsWith(fence)) end++;
  // Blanks at the beginnings are meant; controls are shown.
  const code = lines.slice(at + 1, end).map((line) => visibleText(line.replaceAll('\t', '    ')));
  // Code that is wider than the page scrolls by the keyboard, too.
  const block = h('pre', { tabindex: 0 }, h('code', null, code.join('\n')));
  return { block, count: end - at + 1 };
}

/** Items, each with the lines that go on with it. */
function listAt(lines: readonly string[], at: number, item: RegExp): Block {
  const items: string[] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? '';
    const text = item.exec(line)?.at(-1);
    if (text !== undefined) items.push(text.trim());
    else if (beginsBlock(line)) break;
    else items.push(`${items.pop() ?? ''}\n${line.trim()}`);
  }
  const elements = items.map((text) => h('li', null, ...inlineElements(text)));
  if (item === BULLET) return { block: h('ul', null, ...elements), count: end - at };
  const start = Number(NUMBER.exec(lines[at] ?? '')?.[1] ?? 1);
  const attributes = start === 1 ? null : { start };
  return { block: h('ol', attributes, ...elements), count: end - at };
}

function paragraphAt(lines: readonly string[], at: number): Block {
  let end = at + 1;
  while (end < lines.length && !beginsBlock(lines[end] ?? '')) end++;
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join('\n');
  return { block: h('p', null, ...inlineElements(text)), count: end - at };
}

/** Whether a line ends the paragraph above it. */
const beginsBlock = (line: string): boolean =>
  line.trim() === '' || [FENCE, HEADING, BULLET, NUMBER].some((beginning) => beginning.test(line));
