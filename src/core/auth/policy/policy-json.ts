// What the readers of a policy's elements share: the shapes of JSON, and the one way to refuse them.
import { StorageError } from '../../../ports/errors.ts';

export type Json = { readonly [name: string]: unknown };

/** A refusal; `detail` is for the client. */
export function malformedPolicy(detail: string, cause?: unknown): StorageError {
  return new StorageError('MalformedPolicy', { detail, cause });
}

export function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One text or a list of texts, not empty. MalformedPolicy. */
export function readTexts(value: unknown, element: string): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  if (value === undefined || list.length === 0) throw malformedPolicy(`Missing required field ${element}`);
  if (!list.every((item) => typeof item === 'string')) {
    throw malformedPolicy(`${element} must be a string or a list of strings.`);
  }
  return list;
}
