import type { ByteSource } from '../../ports/byte-source.ts';
import type { Core } from '../core.ts';
import type { CustomerKey } from '../encryption/wrapped-data-key.ts';
import { type ByteRange, openBody, type ReadableVersion } from './read-object.ts';

/**
 * A range of a stored body as something to write or to digest. Opened when it is pumped; errors of
 * openBody.
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
