// One paragraph of Markdown as elements: emphasis, code, links. It walks the text
// once; what is no mark stays as it was typed. Only elements that are named here can
// come out, and links to the web alone. Linear in the length of the text.
import { type Child, type Element, h } from '../element.ts';
import { visibleText } from '../shown-name.ts';
import { webLink } from './web-link.ts';

/** Marks within marks; deeper ones stay as typed, so that nobody can pile them up. */
const DEPTH_MAX = 8;
/** Longest text in brackets, and longest address behind it, characters. */
const LABEL_MAX_LENGTH = 300;
const ADDRESS_MAX_LENGTH = 2000;

/** An emphasis that was opened; the outermost has no mark. */
type Open = { readonly mark: string; readonly children: Child[] };

const TAGS: Readonly<Record<string, string>> = {
  '*': 'em',
  _: 'em',
  '**': 'strong',
  __: 'strong',
  '~~': 's',
};

/** What may begin a mark, and what may be escaped. Source: CommonMark 0.31, 2.4 */
const SPECIAL = /[\\`*_~[\nh]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;

/** The elements of a text without blank lines. */
export function inlineElements(text: string): readonly Child[] {
  const open: Open[] = [{ mark: '', children: [] }];
  const append = (child: Child) => open.at(-1)?.children.push(child);
  let plain = '';
  const flush = () => {
    if (plain !== '') append(visibleText(plain));
    plain = '';
  };

  for (let at = 0; at < text.length; ) {
    const sign = text[at] ?? '';
    const piece = SPECIAL.test(sign) ? pieceAt(text, at) : null;
    if (piece !== null) {
      flush();
      append(piece.child);
      at += piece.length;
    } else if (sign === '\\' && PUNCTUATION.test(text[at + 1] ?? '')) {
      plain += text[at + 1];
      at += 2;
    } else {
      const mark = markAt(text, at);
      if (mark === null || !emphasize(open, mark, sidesOf(text, at, mark.length), flush))
        plain += mark ?? sign;
      at += (mark ?? sign).length;
    }
  }
  flush();
  while (open.length > 1) giveBack(open);
  return open[0]?.children ?? [];
}

/** What stands for itself and may hold no marks: a line's end, code, a link. */
type Piece = { readonly child: Element; readonly length: number };

function pieceAt(text: string, at: number): Piece | null {
  const sign = text[at];
  if (sign === '\n') return { child: h('br'), length: 1 };
  if (sign === '`') return codeAt(text, at);
  if (sign === '[') return linkAt(text, at);
  return sign === 'h' && !WORD.test(text[at - 1] ?? '') ? addressAt(text, at) : null;
}

/** `code` between single or double signs; longer runs stay as typed. */
function codeAt(text: string, at: number): Piece | null {
  const fence = text.startsWith('``', at) ? '``' : '`';
  const start = at + fence.length;
  const inner = text.slice(start, start + ADDRESS_MAX_LENGTH);
  const end = inner.indexOf(fence);
  if (end <= 0) return null;
  const child = h('code', null, visibleText(inner.slice(0, end).trim()));
  return { child, length: end + fence.length * 2 };
}

/** `[text](address)`; an address that is not of the web makes no link. */
function linkAt(text: string, at: number): Piece | null {
  const inner = text.slice(at + 1, at + 1 + LABEL_MAX_LENGTH);
  const end = inner.indexOf('](');
  if (end <= 0 || inner.slice(0, end).includes('[')) return null;
  const start = at + 1 + end + 2;
  const behind = text.slice(start, start + ADDRESS_MAX_LENGTH);
  const close = behind.search(/[)\s]/);
  if (close <= 0 || behind[close] !== ')') return null;
  const child = webLink(behind.slice(0, close), inner.slice(0, end));
  return child === null ? null : { child, length: end + close + 4 };
}

/** An address as it was typed; what ends the sentence is not part of it. */
function addressAt(text: string, at: number): Piece | null {
  if (!/^https?:\/\/\w/.test(text.slice(at, at + 9))) return null;
  const [whole = ''] = /^[^\s<>"`\\]+/.exec(text.slice(at, at + ADDRESS_MAX_LENGTH)) ?? [];
  let end = whole.length;
  while (end > 0 && ".,;:!?'*_~)]，。；：！？）".includes(whole[end - 1] ?? '')) end--;
  const address = whole.slice(0, end);
  const child = webLink(address, address);
  return child === null ? null : { child, length: address.length };
}

function markAt(text: string, at: number): string | null {
  const two = text.slice(at, at + 2);
  if (two in TAGS) return two;
  return (two[0] ?? '') in TAGS ? (two[0] ?? null) : null;
}

type Sides = { readonly canOpen: boolean; readonly canClose: boolean };

/** A mark opens before a letter and closes behind one; `_` never inside a word. */
function sidesOf(text: string, at: number, length: number): Sides {
  const before = text[at - 1] ?? ' ';
  const behind = text[at + length] ?? ' ';
  const isInWord = text[at] === '_' && WORD.test(before) && WORD.test(behind);
  return {
    canOpen: !isInWord && !/\s/.test(behind),
    canClose: !isInWord && !/\s/.test(before),
  };
}

/** Closes the emphasis that the mark closes, or opens one; false: it is plain text. */
function emphasize(
  open: Open[],
  mark: string,
  { canOpen, canClose }: Sides,
  flush: () => void,
): boolean {
  if (canClose && open.some((each) => each.mark === mark)) {
    flush();
    while (open.at(-1)?.mark !== mark) giveBack(open);
    const { children = [] } = open.pop() ?? {};
    open.at(-1)?.children.push(h(TAGS[mark] ?? 'em', null, ...children));
    return true;
  }
  if (!canOpen || open.length > DEPTH_MAX) return false;
  flush();
  open.push({ mark, children: [] });
  return true;
}

/** A mark that nothing closed is text, and what it held stands behind it. */
function giveBack(open: Open[]): void {
  const { mark = '', children = [] } = open.pop() ?? {};
  open.at(-1)?.children.push(mark, ...children);
}
