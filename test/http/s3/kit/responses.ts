// What tests look at in the replies of the S3 surface, and the digests that they send with
// documents.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Reply } from './surface.ts';

/** Status and code of an error. */
export const codeOf = ({ status, text }: Reply) => [status, one(text, 'Code')];

/** The code of an error and the sentence that tells one cause from another, or the status alone. */
export const outcomeOf = ({ status, text }: Reply): readonly [string, string] => [
  one(text, 'Code') ?? `${status}`,
  one(text, 'Message') ?? '',
];

/** The texts of all elements of a name. */
export const all = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, value]) => value);

/** The text of the first element of a name. */
export const one = (text: string, name: string) => all(text, name)[0];

/** The value of Content-MD5 for a body. */
export const contentMd5 = (body: string | Uint8Array) =>
  createHash('md5').update(body).digest('base64');

/** What is thrown with a code. */
export const failing = (code: string) => expect.objectContaining({ code });
