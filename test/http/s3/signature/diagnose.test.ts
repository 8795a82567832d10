// The bounds of the search for a mistake: so many for a request, so many requests a second.
import { expect, it } from 'vitest';
import { createDiagnose, NO_USUAL_MISTAKE } from '../../../../src/http/s3/signature/diagnose.ts';

const MISTAKES = Array.from({ length: 100 }, (_, index) => ({ finding: `mistake ${index + 1}` }));

it('64 mistakes are tried for one request, in their order', () => {
  const diagnose = createDiagnose(() => 0);
  let tried = 0;
  const findingOf = (right: string) =>
    diagnose(MISTAKES, ({ finding }) => {
      tried += 1;
      return finding === right;
    });
  expect([findingOf('mistake 64'), tried]).toEqual(['mistake 64', 64]);
  expect([findingOf('mistake 65'), tried]).toEqual([NO_USUAL_MISTAKE, 128]);
  expect(diagnose([], () => true)).toBe(NO_USUAL_MISTAKE);
});

it('50 requests of a second are diagnosed, and as many of the next', () => {
  let nowMs = 5000;
  const diagnose = createDiagnose(() => nowMs);
  const diagnosed = () =>
    Array.from({ length: 60 }, () => diagnose(MISTAKES, () => true)).filter(
      (finding) => finding !== null,
    ).length;
  expect(diagnosed()).toBe(50);
  nowMs = 5999;
  expect(diagnosed()).toBe(0);
  nowMs = 6000;
  expect(diagnosed()).toBe(50);
});
