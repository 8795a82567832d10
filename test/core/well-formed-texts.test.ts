// Lone surrogates in JSON.
import { expect, it } from 'vitest';
import { hasWellFormedTexts } from '../../src/core/well-formed-texts.ts';

it.each([
  ['{"a":"\\ud83d\\ude00"}', true],
  ['{"a":["\\uD83D"]}', false],
  ['{"a":"\\ude00\\ud83d"}', false],
  ['{"\\udfff":1}', false],
  ['"\\\\ud800"', true],
  ['{"a":"\\ud800"', true],
  ['', true],
])('the texts of %s are well formed: %s', (json, isWhole) =>
  expect(hasWellFormedTexts(json)).toBe(isWhole),
);
