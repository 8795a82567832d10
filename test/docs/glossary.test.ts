// The glossary has a sentence and an owner for each term, and the owner exists.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(`${ROOT}docs/glossary.md`, 'utf8');
const entries = text
  .split('\n### ')
  .slice(1)
  .map((entry) => entry.split('\n## ', 1)[0] ?? '')
  .map((entry) => ({ term: entry.split('\n', 1)[0] ?? '', lines: entry.split('\n').slice(1) }));

it('the glossary has the terms that a reader meets first, each once', () => {
  const terms = entries.map(({ term }) => term.toLowerCase());
  expect(new Set(terms).size).toBe(terms.length);
  expect(terms.length).toBeGreaterThanOrEqual(40);
  for (const term of ['blob', 'segment', 'pointer', 'ledger', 'outbox', 'surface', 'fast path']) {
    expect(terms).toContain(term);
  }
});

describe.each(entries)('$term', ({ lines }) => {
  it('is one sentence, and names the file that owns it', () => {
    const body = lines.join('\n').trim();
    const [sentence = '', code = ''] = body.split('\n\n');
    const [, shown, linked] =
      /^Code: \[(src\/[\w./-]+)\]\(\.\.\/(src\/[\w./-]+)\)$/.exec(code) ?? [];
    expect(sentence).toMatch(/^[A-Z][^.]*\.$/s);
    expect(shown).toBe(linked);
    expect(existsSync(`${ROOT}${linked}`), linked).toBe(true);
  });
});
