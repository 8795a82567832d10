// Frees memory ahead of the garbage collector. For large chunks of bodies that are
// made one after the other: they are outside of the heap, and V8 marks all of the
// heap to find out that they are garbage. Called where a body passes.

/**
 * Frees bytes that have their memory for themselves; others are left as they are.
 * Nobody may read them any more: their length is 0 afterwards.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
