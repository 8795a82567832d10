// Inputs of commands as plain data for the writer thread, and how heavy they are.
// sqlite-metadata-index.ts sends them.
import type { ObjectVersion } from '../../../domain/nouns.ts';
import type { CommitObjectInput, IndexApi } from '../../../ports/metadata-index.ts';

/** Bytes that one part or segment takes in memory. Estimate. */
const PART_BYTES = 256;

/**
 * The input as a message may take it, and its weight. An inline body that is a
 * window on a larger buffer is copied: a message would take the whole buffer.
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
  const object = { ...commit.object, inlineBytes: new Uint8Array(inlineBytes) };
  return { sendable: { ...commit, object }, weightBytes };
}

/** Bytes of an inline body, or of the pieces that a body lies in. */
export function weightOf({ inlineBytes, segments, parts }: ObjectVersion): number {
  return inlineBytes?.length ?? (segments.length + (parts?.length ?? 0)) * PART_BYTES;
}
