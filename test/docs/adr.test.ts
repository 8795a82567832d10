// docs/adr/README.md lists every decision as its page has it, and all pages have one header.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../docs/adr/', import.meta.url));
const files = readdirSync(FOLDER).filter((name) => /^\d{4}-.*\.md$/.test(name));
const list = readFileSync(`${FOLDER}README.md`, 'utf8');

/** Status without its links: `[ADR 33](…)` reads `ADR 33`. */
const withoutLinks = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

it('the index of decisions lists as many decisions as there are, without a gap', () => {
  expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
  expect(list.match(/^\| \d+ \|/gm)).toHaveLength(files.length);
});

describe.each(files)('%s', (name) => {
  const text = readFileSync(`${FOLDER}${name}`, 'utf8');
  const header =
    /^# (\d+)\. ([^\n]+)\n\n- Status: ([^\n]+)\n- Date: (\d{4}-\d\d-\d\d)\n\n## Problem\n/;
  const [, number = '', title = '', status = '', date = ''] = header.exec(text) ?? [];

  it('has the header, a decision and its alternatives', () => {
    expect(number).toBe(`${Number(name.slice(0, 4))}`);
    expect(text).toMatch(/^## Decision$/m);
    expect(text).toMatch(/^## Alternatives$/m);
  });

  it('stands in the list with title, status and date', () => {
    const row = `| ${number} | [${title}](${name}) | ${withoutLinks(status)} | ${date} |`;
    expect(list.split('\n')).toContain(row);
  });
});
