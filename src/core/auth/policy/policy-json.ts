// What the readers of a policy's elements share: lists of texts, and the one way to refuse.
import { StorageError } from '../../../domain/errors.ts';

/** A refusal; `detail` is for the client. */
export function malformedPolicy(detail: string, cause?: unknown): StorageError {
  return new StorageError('MalformedPolicy', { detail, cause });
}

/** One text or a list of texts, not empty. MalformedPolicy. */
export function readTexts(value: unknown, element: string): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  if (value === undefined || list.length === 0)
    throw malformedPolicy(`Missing required field ${element}`);
  if (!list.every((item) => typeof item === 'string')) {
    throw malformedPolicy(`${element} must be a string or a list of strings.`);
  }
  return list;
}
