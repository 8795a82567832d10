// The one concatenation of bytes. It stands in crypto, the leaf below all folders,
// because zstd-frames.ts needs it too and imports nothing from outside.

/**
 * Joins pieces to one run of `lengthBytes`, in a buffer of its own; by default as
 * long as they are together. RangeError when they have more.
 */
export function joinBytes(
  pieces: readonly Uint8Array[],
  lengthBytes: number = pieces.reduce((sum, piece) => sum + piece.length, 0),
): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(lengthBytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
