// Digests that only the bytes of a small body tell: it was stored without a checksum
// and stands in a blob, as small files do once they lie in a pack. Then it is read for
// the digest, by its tiers, as it would be for its bytes. Called by delivery and by
// signed reads.
import type { Core } from '../core/core.ts';
import type { ReadableVersion } from '../core/objects/read-object.ts';
import { readWhole } from '../core/objects/read-whole.ts';
import type { HttpRequest } from './request.ts';
import { type DigestSource, digestHeaders } from './semantics/digest-fields.ts';
import type { HeaderRecord } from './semantics/object-headers.ts';

/**
 * The digest fields that the request wants, made of the bytes of a version for which
 * `isDigestOfBytes` says so. Errors: those of openBody. Cost: a read of 64 KiB at most.
 */
export async function digestsOfSmallBody(
  core: Core,
  request: Pick<HttpRequest, 'header'>,
  version: ReadableVersion & DigestSource,
  isWhole: boolean,
): Promise<HeaderRecord | null> {
  const inlineBytes = await readWhole(core, version);
  return digestHeaders(request, { ...version, inlineBytes }, isWhole);
}
