import { expect, it } from 'vitest';
import { newLabelId, newLinkId } from '../../../src/core/links/new-link-ids.ts';
import { linkNameText, linkPath, parseLinkName } from '../../../src/domain/links/link-ids.ts';

it('a parser of link names reads the names that it writes', () => {
  const id = newLinkId();
  const labelId = newLabelId();
  expect(id).toMatch(/^[\w-]{22}$/);
  expect(labelId).toMatch(/^[\w-]{8}$/);
  for (const name of [
    { id, labelId: null },
    { id, labelId },
  ]) {
    expect(parseLinkName(linkNameText(name))).toEqual(name);
    expect(linkPath('drop', name)).toBe(`/-/d/${linkNameText(name)}`);
  }
});

it('a parser of link names reads nothing else', () => {
  const id = newLinkId();
  for (const text of ['', 'a', id.slice(1), `${id}A`, `${id}~`, `${id}~1234567`, `${id}~12345678~`])
    expect(parseLinkName(text)).toBe(null);
  expect(parseLinkName(`${id.slice(1)}%`)).toBe(null);
});
