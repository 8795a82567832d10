// What commands take with them to the writer thread: as plain data, and how heavy that is.
// sqlite-metadata-index.ts sends them.
import type { ObjectVersion } from '../../../domain/nouns.ts';
import type { CommitObjectInput, IndexApi } from '../../../ports/metadata-index.ts';

/** What one part or segment takes in memory. Estimate, bytes. */
const PART_BYTES = 256;

/**
 * A message takes the whole buffer behind a window: an inline body that is one is copied out first.
 */
export function toSendable(
  name: keyof IndexApi,
  input: unknown,
): { sendable: unknown; weightBytes: number } {
  if (name === 'completeUpload') {
    const { parts } = input as { parts: readonly unknown[] };
    return { sendable: input, weightBytes: parts.length * PART_BYTES };
  }
  if (name === 'commitCopies') {
    const { copies } = input as Parameters<IndexApi['commitCopies']>[0];
    return {
      sendable: input,
      weightBytes: copies.reduce((sum, { object }) => sum + weightOf(object), 0),
    };
  }
  if (name !== 'commitObject') return { sendable: input, weightBytes: 0 };
  const commit = input as CommitObjectInput;
  const { inlineBytes } = commit.object;
  const weightBytes = weightOf(commit.object);
  if (inlineBytes === null || inlineBytes.buffer.byteLength === inlineBytes.length)
    return { sendable: input, weightBytes };
  return {
    sendable: { ...commit, object: { ...commit.object, inlineBytes: new Uint8Array(inlineBytes) } },
    weightBytes,
  };
}

/** Bytes of an inline body, or of the pieces that a body lies in. */
export function weightOf({ inlineBytes, segments, parts }: ObjectVersion): number {
  return inlineBytes?.length ?? (segments.length + (parts?.length ?? 0)) * PART_BYTES;
}
