// Encryption at rest, as a feature of reads. Whoever has the key to what a client
// encrypted sends it, which makes the read a call of S3: here such an object is
// refused. No bucket's settings say whether it has encrypted objects, so this looks
// at one field of each pointer.
import { unwrapWithCustomerKey } from '../../../core/encryption/envelope.ts';
import type { ReadFeature } from './read-feature.ts';

export function encryptionFeature(): ReadFeature {
  return {
    isIn: () => true,
    refuse({ pointer }) {
      if (pointer.encryption !== null) unwrapWithCustomerKey(pointer.encryption, null);
    },
    // What is decrypted stands nowhere ready.
    atOnce: { leaves: (_read, pointer) => pointer.encryption !== null },
  };
}
