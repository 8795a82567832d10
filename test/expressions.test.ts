// Every regular expression of src takes linear time, whatever the text: strangers send the texts.
// Read off the syntax tree, so that none is missed; one that is put together at run time could not
// be read, so there is none.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { slownessOf } from './slow-expressions.ts';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** Expressions that may be slow, each with the reason why no stranger can make it so. */
const MAY_BE_SLOW: Readonly<Record<string, string>> = {};

type Expression = { readonly place: string; readonly pattern: string; readonly flags: string };

type Found = { readonly expressions: readonly Expression[]; readonly made: readonly string[] };

/** The expressions of a file, and where it makes some of texts. */
function expressionsOf(path: string, text: string): Found {
  const { program, errors } = parseSync(path, text, { lang: 'ts' });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const placeOf = (at: number) => `${path}:${text.slice(0, at).split('\n').length}`;
  const expressions: Expression[] = [];
  const made: string[] = [];
  new Visitor({
    Literal(node) {
      if ('regex' in node) expressions.push({ place: placeOf(node.start), ...node.regex });
    },
    Identifier({ name, start }) {
      // A type is no name of this kind: it stands in a TSTypeReference.
      if (
        name === 'RegExp' &&
        !/[:<|]\s*(?:readonly )?$/.test(text.slice(Math.max(0, start - 12), start))
      ) {
        made.push(placeOf(start));
      }
    },
  }).visit(program);
  return { expressions, made };
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => expressionsOf(path, readFileSync(join(SRC, path), 'utf8')));

describe('regular expressions', () => {
  it('are found where they stand', () => {
    expect(files.flatMap(({ expressions }) => expressions).length).toBeGreaterThan(250);
    const { expressions, made } = expressionsOf(
      'a.ts',
      'const a = /x+/u;\nconst b = (c: RegExp) => new RegExp(c.source);',
    );
    expect(expressions).toEqual([{ place: 'a.ts:1', pattern: 'x+', flags: 'u' }]);
    expect(made).toEqual(['a.ts:2']);
  });

  it('are written out, never made of texts', () => {
    expect(files.flatMap(({ made }) => made)).toEqual([]);
  });

  it('take linear time', () => {
    const slow = files.flatMap(({ expressions }) =>
      expressions.flatMap(({ place, pattern, flags }) => {
        const why = `/${pattern}/${flags}` in MAY_BE_SLOW ? [] : slownessOf(pattern, flags);
        return why.length === 0 ? [] : [`${place} /${pattern}/${flags}: ${why[0]}`];
      }),
    );
    expect(slow).toEqual([]);
  });

  it.each([
    // Found by an examination, quadratic and cubic.
    /^content-type:[ \t]*(.*?)[ \t]*$/im,
    /^\s*(id|uri|emailAddress)\s*=\s*(?:"([^"]*)"|([^",]*?))\s*$/i,
    /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/,
    /^[\t ]+|[\t ]+$/g,
    /\$\{([^}]*)\}|[*?]/g,
    /(?:^|\/)_app\/immutable\/.*[^/]$/s,
    /image\/avif(?![^,]*;[\t ]*q=0(?:\.0*)?(?:$|[,;\t ]))/i,
    // Nested, and of several characters at a time.
    /^(?:a+)+$/,
    /^(?:ab|a|b)*$/,
    /^(?:ab)*(?:ab)*$/,
    /a*b?a*$/,
    /x.{0,1000}y/,
  ])('that take more are seen: %s', (expression) => {
    expect(slownessOf(expression.source, expression.flags)).not.toEqual([]);
  });

  it.each([
    /^\s*a\s*$/,
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i,
    /[A-Z]+[a-z]*|[a-z]+/g,
    /^(?:[^.]+\.)*localhost$/,
    /^([!-~]+)\/(\d{8})\/([!-.0-~]*)\/s3\/aws4_request$/,
    /\{[^{}]*\}/,
  ])('that do not pass: %s', (expression) => {
    expect(slownessOf(expression.source, expression.flags)).toEqual([]);
  });
});
