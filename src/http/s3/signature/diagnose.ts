// Tries mistakes that would explain a wrong signature, within bounds. The doctors
// of both versions of signatures call it. It says nothing that the caller, who made
// the signature, does not know.

/**
 * Mistakes tried for one request: each costs a hash and an HMAC, 6 µs together, or
 * 35 with a key of its own.
 */
const MISTAKES_MAX = 64;

export const NO_USUAL_MISTAKE =
  'No usual mistake explains it: most likely the secret key is not the one of this access ' +
  'key, or something on the way changed a signed header or the query.';

/**
 * Diagnoses of one second: a flood of wrong signatures must not cost more than a
 * flood of right ones.
 */
const DIAGNOSES_PER_SECOND = 50;

/**
 * The sentence of the first mistake that explains a signature, or one for none;
 * null when there were too many to diagnose. `isSignatureOf` says whether something
 * has the signature that was sent. Cost: at most MISTAKES_MAX calls of it.
 */
export type Diagnose = <Mistake extends { readonly finding: string }>(
  mistakes: Iterable<Mistake>,
  isSignatureOf: (mistake: Mistake) => boolean,
) => string | null;

/** Makes the one of an app: it remembers how busy it was, nothing of a request. */
export function createDiagnose(nowMs: () => number): Diagnose {
  let second = 0;
  let diagnoses = 0;
  return (mistakes, isSignatureOf) => {
    const now = Math.floor(nowMs() / 1000);
    if (now !== second) [second, diagnoses] = [now, 0];
    if (++diagnoses > DIAGNOSES_PER_SECOND) return null;
    let tried = 0;
    for (const mistake of mistakes) {
      if (++tried > MISTAKES_MAX) break;
      if (isSignatureOf(mistake)) return mistake.finding;
    }
    return NO_USUAL_MISTAKE;
  };
}
