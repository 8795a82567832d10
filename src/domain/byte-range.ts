// The one type for a run of bytes inside a body, a blob or a slice. Ranges as HTTP
// sends them, by first and last byte, are of src/http alone.

/** A run of `lengthBytes` bytes from `offsetBytes` on. */
export type ByteRange = { readonly offsetBytes: number; readonly lengthBytes: number };
