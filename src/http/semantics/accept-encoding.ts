// Which content coding a client would rather have than none. Pure but for a memo:
// the clients of a server send a handful of different headers. Source: RFC 9110
// section 12.5.3
import type { ContentCoding } from '../../ports/derived.ts';

/** In the order of what is smallest. */
const CODINGS: readonly ContentCoding[] = ['br', 'zstd', 'gzip'];
const NONE: readonly ContentCoding[] = [];

/** Different headers remembered, and the longest of them. */
const REMEMBERED_MAX = 64;
const REMEMBERED_MAX_LENGTH = 200;
/** Nobody sends more; a longer one is as if not sent. */
const HEADER_MAX_LENGTH = 1000;

/**
 * Codings that a client takes, the ones it likes best first; empty for a client
 * that takes none, or rather none.
 */
export type AcceptedCodings = (header: string | null) => readonly ContentCoding[];

/** Makes the reader. Cost of a header that was seen before: a look-up. */
export function createAcceptedCodings(): AcceptedCodings {
  const known = new Map<string, readonly ContentCoding[]>();
  return (header) => {
    if (header === null) return NONE;
    let accepted = known.get(header);
    if (accepted === undefined) {
      accepted = readAccepted(header);
      if (known.size === REMEMBERED_MAX) known.clear();
      if (header.length <= REMEMBERED_MAX_LENGTH) known.set(header, accepted);
    }
    return accepted;
  };
}

/** `gzip`, `br;q=0.5`: a name and its quality. */
const MEMBER = /^([!#$%&'*+\-.^_`|~\w]+)(?:[\t ]*;[\t ]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

function readAccepted(header: string): readonly ContentCoding[] {
  if (header.length > HEADER_MAX_LENGTH) return NONE;
  const qualities = new Map<string, number>();
  for (const text of header.split(',')) {
    const [, name, quality] = MEMBER.exec(text.trim()) ?? [];
    if (name !== undefined)
      qualities.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(quality ?? 1));
  }
  const qualityOf = (coding: string) => qualities.get(coding) ?? qualities.get('*') ?? 0;
  // Nothing is said of identity in most headers: it is what remains.
  const least = qualities.get('identity') ?? 0;
  return CODINGS.filter((coding) => qualityOf(coding) > 0 && qualityOf(coding) >= least).sort(
    (a, b) => qualityOf(b) - qualityOf(a),
  );
}
