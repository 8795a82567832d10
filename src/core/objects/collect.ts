// Reads bodies into memory, up to a bound. Called for small bodies and for
// documents.
import { joinBytes } from '../../crypto/join-bytes.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ByteSource } from '../../ports/byte-source.ts';

/**
 * Reads a whole body into memory. MaxMessageLengthExceeded when it is longer than
 * `maxBytes`, declared or not.
 */
export async function collect(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  const tooLong = () =>
    new StorageError('MaxMessageLengthExceeded', {
      fields: { MaxMessageLengthBytes: `${maxBytes}` },
    });
  if (source.lengthBytes !== null && source.lengthBytes > maxBytes) throw tooLong();

  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  await source.pump((chunk) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLong();
    chunks.push(chunk);
  });

  const [only] = chunks;
  // A lone chunk may be a window on a larger buffer (a socket read); a copy lets
  // that buffer go.
  if (chunks.length === 1 && only !== undefined && only.buffer.byteLength === only.length)
    return only;
  return joinBytes(chunks, sizeBytes);
}
