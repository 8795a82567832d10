// What the readers of a policy's elements share: lists of texts, and the one way to
// refuse. Called by parse-policy.ts and principals.ts.
import { StorageError } from '../../../domain/errors.ts';

/** Makes the refusal of a policy; `detail` is for the client. */
export function malformedPolicy(detail: string, cause?: unknown): StorageError {
  return new StorageError('MalformedPolicy', { detail, cause });
}

/** Reads one text or a list of texts that is not empty. MalformedPolicy. */
export function readTexts(value: unknown, element: string): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  if (value === undefined || list.length === 0)
    throw malformedPolicy(`Missing required field ${element}`);
  if (!list.every((item) => typeof item === 'string')) {
    throw malformedPolicy(`${element} must be a string or a list of strings.`);
  }
  return list;
}
