// A stored body as a source of bytes: what copies and digests read from. Called by
// the use cases that write or digest bytes that are stored already.
import type { ByteRange } from '../../domain/byte-range.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { Core } from '../core.ts';
import type { CustomerKey } from '../encryption/envelope.ts';
import { openBody, type ReadableVersion } from './read-object.ts';

/**
 * A range of a stored body as a source of bytes. Opened when it is pumped; errors
 * of openBody.
 */
export function bodySource(
  core: Core,
  version: ReadableVersion,
  range: ByteRange,
  customerKey: CustomerKey | null,
): ByteSource {
  return {
    lengthBytes: range.lengthBytes,
    async pump(onChunk) {
      const { body } = await openBody(core, version, range, customerKey);
      if (body instanceof Uint8Array) await onChunk(body);
      else if (body !== null) for await (const chunk of body) await onChunk(chunk);
    },
  };
}
