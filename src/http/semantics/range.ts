// The Range header of reads, by S3's rules: one range or the whole object, and
// nothing malformed is an error. Called by every read; pure, and no more than one
// small object is made. Source: RFC 9110 section 14; S3 answers several ranges and
// malformed ones with the whole object
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html).

/** Bytes of an object, both ends included, always inside it. */
export type HttpRange = { readonly startByte: number; readonly endByteInclusive: number };

const PREFIX = 'bytes=';

/**
 * What a Range header asks of an object of `sizeBytes`: 'whole' is a 200 (no
 * header, several ranges, malformed, a suffix of an empty object), 'unsatisfiable'
 * a 416 (starts behind the end, suffix of no bytes), a range is a 206.
 */
export function parseRange(
  header: string | null,
  sizeBytes: number,
): 'whole' | 'unsatisfiable' | HttpRange {
  if (header === null || !hasPrefix(header)) return 'whole';
  const dashAt = header.indexOf('-', PREFIX.length);
  if (dashAt === -1) return 'whole';
  const hasFirst = dashAt > PREFIX.length;
  const hasLast = dashAt < header.length - 1;
  // Digits only: a comma, a blank, a second dash or a sign makes it malformed or
  // several ranges.
  const first = hasFirst ? parseDigits(header, PREFIX.length, dashAt) : 0;
  const last = hasLast ? parseDigits(header, dashAt + 1, header.length) : Number.POSITIVE_INFINITY;
  if (first === null || last === null || (!hasFirst && !hasLast)) return 'whole';
  if (!hasFirst) {
    if (last === 0) return 'unsatisfiable';
    // Satisfiable by section 14.1.2, but no Content-Range can say "no bytes". S3
    // answers 200 as well, and tail readers live by it:
    // https://github.com/apache/arrow-rs-object-store/issues/846
    if (sizeBytes === 0) return 'whole';
    return { startByte: Math.max(0, sizeBytes - last), endByteInclusive: sizeBytes - 1 };
  }
  if (last < first) return 'whole';
  if (first >= sizeBytes) return 'unsatisfiable';
  return { startByte: first, endByteInclusive: Math.min(last, sizeBytes - 1) };
}

/** Bytes that a range has. */
export function lengthOf({ startByte, endByteInclusive }: HttpRange): number {
  return endByteInclusive - startByte + 1;
}

/** A range as core counts it: where its bytes begin, and how many they are. */
export function bytesOf(
  range: HttpRange | 'whole',
  sizeBytes: number,
): { offsetBytes: number; lengthBytes: number } {
  if (range === 'whole') return { offsetBytes: 0, lengthBytes: sizeBytes };
  return { offsetBytes: range.startByte, lengthBytes: lengthOf(range) };
}

/** Content-Range of a 206. */
export function contentRange(range: HttpRange, sizeBytes: number): string {
  return `bytes ${range.startByte}-${range.endByteInclusive}/${sizeBytes}`;
}

/** Content-Range of a 416. */
export function unsatisfiedContentRange(sizeBytes: number): string {
  return `bytes */${sizeBytes}`;
}

/** Names of range units are case-insensitive. */
function hasPrefix(header: string): boolean {
  return header.startsWith(PREFIX) || header.slice(0, PREFIX.length).toLowerCase() === PREFIX;
}

/** Numbers too large for exactness grow past every object all the same. */
function parseDigits(text: string, start: number, end: number): number | null {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}
