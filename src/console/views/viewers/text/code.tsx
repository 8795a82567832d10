// Lines of code: numbers, colours, one line marked by the address (`#L12`). Blocks
// of lines that are out of sight are not laid out, but found by the browser's find.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ParsedLine, parse } from 'sugar-high/core';
import { languages } from 'sugar-high/lang';
import { hash, navigate, path, query } from '../../../app/router.ts';
import { t } from '../../../i18n/i18n.ts';
import { ScrollRegion } from '../frame.tsx';
import { extensionOf } from '../kinds.ts';

/** Lines of one block. */
const BLOCK_LINES = 200;
const LINE_PX = 20;
/** Text that gets colours, characters: the rest is shown without. */
const COLOURED_MAX = 200_000;
/** Lines longer than this get none: they are data, or made small. */
const LINE_COLOURED_MAX = 2000;
/**
 * Sum of the squares of the lines that get colours: the lexer is quadratic over some
 * lines. Lines of 80 characters reach COLOURED_MAX first.
 */
const COLOURED_SQUARES_MAX = 40_000_000;

type CodeProps = {
  readonly text: string;
  readonly name: string;
  readonly isWrapped: boolean;
  readonly hasLinks: boolean;
};

const EXTENSIONS: Readonly<Record<string, string>> = {
  mjs: 'js',
  cjs: 'js',
  mts: 'ts',
  cts: 'ts',
  geojson: 'json',
  ndjson: 'json',
  jsonl: 'json',
  webmanifest: 'json',
  htm: 'html',
  svg: 'html',
  xml: 'html',
  scss: 'css',
  patch: 'diff',
};

/** Colours of a language; null: it has none here. */
function presetOf(name: string) {
  const own = extensionOf(name);
  const extension = EXTENSIONS[own] ?? own;
  const found = languages.find(
    ({ id, extension: known, aliases }) =>
      id === extension || known === extension || aliases.includes(extension),
  );
  return found?.config ?? null;
}

function linesOf(text: string, name: string): readonly (ParsedLine | string)[] {
  const lines = text.split('\n');
  const preset = presetOf(name);
  if (preset === null) return lines;
  let coloured = 0;
  let length = 0;
  let squares = 0;
  for (const line of lines) {
    length += line.length + 1;
    squares += line.length ** 2;
    if (length > COLOURED_MAX || line.length > LINE_COLOURED_MAX) break;
    if (squares > COLOURED_SQUARES_MAX) break;
    coloured++;
  }
  const parsed = parse(lines.slice(0, coloured).join('\n'), preset).lines;
  return lines.map((line, index) => (index < coloured ? (parsed[index] ?? line) : line));
}

/** The line that the address names; null: none. */
const lineOf = (text: string): number | null => {
  const number = /^#L(\d{1,9})$/.exec(text)?.[1];
  return number === undefined ? null : Number(number);
};

export function CodeView({ text, name, isWrapped, hasLinks }: CodeProps) {
  const lines = useMemo(() => linesOf(text, name), [text, name]);
  const marked = hasLinks ? lineOf(hash.value) : null;
  const view = useRef<HTMLDivElement>(null);
  const isMarkedShown = marked !== null && marked <= lines.length;
  useEffect(() => {
    if (isMarkedShown)
      view.current?.querySelector('.is-marked')?.scrollIntoView({ block: 'center' });
  }, [isMarkedShown, marked]);

  const blocks = Array.from({ length: Math.ceil(lines.length / BLOCK_LINES) }, (_, index) => index);
  const digits = `${lines.length}`.length;
  return (
    <ScrollRegion
      regionRef={view}
      class={isWrapped ? 'code-view is-wrapped' : 'code-view'}
      style={{ '--digits': digits }}
      label={t().viewers.text.content(name)}
    >
      {blocks.map((block) => (
        <Block
          key={block}
          lines={lines}
          from={block * BLOCK_LINES}
          marked={marked}
          hasLinks={hasLinks}
        />
      ))}
    </ScrollRegion>
  );
}

type BlockProps = {
  readonly lines: readonly (ParsedLine | string)[];
  readonly from: number;
  readonly marked: number | null;
  readonly hasLinks: boolean;
};

/** How far outside the window lines are drawn one by one, pixels. */
const NEAR_PX = 1500;

/**
 * Lines that are far away stand there as one text: the browser's find finds them,
 * and a long file has few elements.
 */
function Block({ lines, from, marked, hasLinks }: BlockProps) {
  const shown = lines.slice(from, from + BLOCK_LINES);
  const hasMarked = marked !== null && marked > from && marked <= from + BLOCK_LINES;
  const [isNear, setNear] = useState(from === 0 || hasMarked);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const watch = (entries: readonly IntersectionObserverEntry[]) =>
      setNear(entries.at(-1)?.isIntersecting ?? false);
    const observer = new IntersectionObserver(watch, { rootMargin: `${NEAR_PX}px` });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const height = `auto ${shown.length * LINE_PX}px`;
  return (
    <div ref={place} class="code-block" style={{ containIntrinsicBlockSize: height }}>
      {isNear || hasMarked ? (
        shown.map((line, index) => {
          const number = from + index + 1;
          return (
            <div key={number} class={number === marked ? 'code-line is-marked' : 'code-line'}>
              {hasLinks ? <LineLink number={number} /> : <span />}
              <code>{typeof line === 'string' ? line : <Tokens line={line} />}</code>
            </div>
          );
        })
      ) : (
        <pre class="code-far">{shown.map(textOf).join('\n')}</pre>
      )}
    </div>
  );
}

const textOf = (line: ParsedLine | string): string =>
  typeof line === 'string' ? line : line.value;

function Tokens({ line }: { readonly line: ParsedLine }) {
  return (
    <>
      {line.tokens.map(({ type, value }, index) => (
        <span key={index} class={`sh-${type}`}>
          {value}
        </span>
      ))}
    </>
  );
}

function LineLink({ number }: { readonly number: number }) {
  const place = `${path.value}${query.value.size === 0 ? '' : `?${query.value}`}#L${number}`;
  return (
    <a
      class="line-number"
      href={`#L${number}`}
      tabIndex={-1}
      onClick={(event) => {
        event.preventDefault();
        navigate(place, { replace: true });
      }}
    >
      {number}
    </a>
  );
}
