// Reads a whole stored body into memory. Called for bodies whose size the caller
// has bounded.
import { StorageError } from '../../domain/errors.ts';
import type { Core } from '../core.ts';
import { openBody, type ReadableVersion } from './read-object.ts';

/**
 * Reads the whole body into memory, which may be shared with other readers: never
 * write to it. The caller bounds its size. Errors and cost: those of openBody;
 * ObjectDamaged when the store has more or less than `sizeBytes`.
 */
export async function readWhole(core: Core, version: ReadableVersion): Promise<Uint8Array> {
  const { sizeBytes } = version;
  const { body } = await openBody(core, version, { offsetBytes: 0, lengthBytes: sizeBytes });
  if (body === null || body instanceof Uint8Array) return body ?? new Uint8Array();
  const whole = new Uint8Array(sizeBytes);
  let at = 0;
  for await (const chunk of body) {
    if (at + chunk.length > sizeBytes) break;
    whole.set(chunk, at);
    at += chunk.length;
  }
  if (at !== sizeBytes)
    throw new StorageError('ObjectDamaged', {
      detail: 'A body has not the bytes that it should have.',
    });
  return whole;
}
