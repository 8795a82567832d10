// What a response says of its object, and whether the bytes that came are those.
import { QuaysideError } from '../errors.ts';
import { CRC64_OF_NOTHING, type Crc64, crc64Text, createCrc64 } from '../objects/crc64nvme.ts';
import { sha256Text } from '../upload/digest.ts';

/**
 * SHA-256 is made of whole bodies, which are kept until then: longer ones are not.
 */
const SHA256_MAX_BYTES = 32 * 1024 * 1024;

/** By what a body was found to be whole. */
export type VerifiedBy = 'crc64nvme' | 'sha256' | 'length' | 'nothing';

export type Check = {
  add(chunk: Uint8Array): void;
  /** ChecksumMismatch. */
  end(): Promise<VerifiedBy>;
};

/**
 * A check of the whole object whose response has those headers; null: by its length
 * alone.
 */
export function createCheck(headers: Headers, sizeBytes: number): Check | null {
  const value = (name: string) => headers.get(`x-amz-checksum-${name}`);
  // A composite checksum is of the parts' checksums, and nobody knows their lengths
  // here.
  if (value('type') === 'COMPOSITE') return null;
  const crc64 = value('crc64nvme');
  if (crc64 !== null) return comparing(crc64Sum(), 'crc64nvme', crc64);
  const sha256 = value('sha256');
  const isUsable = crypto.subtle !== undefined && sizeBytes <= SHA256_MAX_BYTES;
  return sha256 !== null && !sha256.includes('-') && isUsable
    ? comparing(sha256Sum(sizeBytes), 'sha256', sha256)
    : null;
}

type Sum = Pick<Check, 'add'> & { text(): string | Promise<string> };

const comparing = ({ add, text }: Sum, name: VerifiedBy, expected: string): Check => ({
  add,
  async end() {
    if ((await text()) === expected) return name;
    throw new QuaysideError('ChecksumMismatch', 'The bytes that came are not those of the object.');
  },
});

function crc64Sum(): Sum {
  const crc64 = createCrc64();
  let state: Crc64 = CRC64_OF_NOTHING;
  return {
    add(chunk) {
      state = crc64(chunk, state);
    },
    text: () => crc64Text(state),
  };
}

function sha256Sum(sizeBytes: number): Sum {
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  return {
    add(chunk) {
      bytes.set(chunk.subarray(0, sizeBytes - filled), filled);
      filled += chunk.length;
    },
    text: () => sha256Text(bytes),
  };
}
