// Headers of a request that the recogniser has taken, for the access log only.
// Called by attach-fast-path.ts; the fast path itself never needs these.
import { trimBlanks } from './trim-blanks.ts';

/**
 * Gives the value of the first header of a lower-case name, or null. The recogniser
 * has seen to it that each line is `name:value`, so a name can stand nowhere else.
 * Cost: 0.5 µs for the first, 0.2 for each further one.
 */
export function createHeaderFinder(chunk: Buffer): (name: string) => string | null {
  let text = '';
  let lowerCase = '';
  return (name) => {
    if (text === '') {
      text = chunk.toString('latin1');
      lowerCase = text.toLowerCase();
    }
    const nameAt = lowerCase.indexOf(`\r\n${name}:`);
    if (nameAt === -1) return null;
    const valueAt = nameAt + name.length + 3;
    return trimBlanks(text, valueAt, text.indexOf('\r\n', valueAt));
  };
}
