// Headers that every response to a write of an object has about the version that it made.
import type { Core } from '../../../core/core.ts';
import type { ObjectVersion } from '../../../domain/nouns.ts';
import { newVersionHeaders } from '../formats/version-name.ts';
import { expirationHeaders } from '../headers/lifecycle-headers.ts';
import type { ObjectCall } from './call.ts';

/** x-amz-version-id, if it got an id, and x-amz-expiration, if a rule of the bucket ends it. */
export function writtenVersionHeaders(
  call: ObjectCall,
  core: Core,
  version: ObjectVersion,
): Record<string, string> {
  return { ...newVersionHeaders(version), ...expirationHeaders(call, core, version) };
}
