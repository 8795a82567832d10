/** Pieces as one run of `lengthBytes`, in a buffer of its own; RangeError when they have more. */
export function joinBytes(
  pieces: readonly Uint8Array[],
  lengthBytes: number,
): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(lengthBytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
