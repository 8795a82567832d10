// The beginning of a text file, which the page of a link shows as text. Called by
// share-files.ts. Bounded, and only where showing it counts nothing.
import type { Core } from '../../../core/core.ts';
import { openBody, type ReadableVersion } from '../../../core/objects/read-object.ts';
import { LINK_EXCERPT_BYTES } from '../../../domain/links/link-limits.ts';
import { isLimited, type ShareLink } from '../../../domain/links/share-links.ts';
import { previewKindOf } from './preview-kinds.ts';
import type { ShareExcerpt } from './share-view.ts';

/** An object as far as its text goes. `contentEncoding` null: its bytes are the text. */
type TextObject = {
  readonly version: ReadableVersion;
  readonly name: string;
  readonly contentEncoding: string | null;
};

/**
 * The excerpt; null: the file is no text that can be shown, or may not be read here.
 * Never rejects: the page is whole without it. Cost: one read of 16 KiB at most.
 */
export async function readExcerpt(
  core: Core,
  link: ShareLink,
  { version, name, contentEncoding }: TextObject,
): Promise<ShareExcerpt | null> {
  const isShown =
    !isLimited(link) &&
    link.page.mode !== 'download' &&
    previewKindOf(name) === 'text' &&
    contentEncoding === null;
  if (!isShown) return null;

  const lengthBytes = Math.min(version.sizeBytes, LINK_EXCERPT_BYTES);
  const isCut = lengthBytes < version.sizeBytes;
  try {
    const text = decode(await readBeginning(core, version, lengthBytes), isCut);
    return text === null ? null : { text, isCut };
  } catch {
    // Such as a body that its client encrypted: whoever has the key may download it.
    return null;
  }
}

async function readBeginning(
  core: Core,
  version: ReadableVersion,
  lengthBytes: number,
): Promise<Uint8Array> {
  const { body } = await openBody(core, version, { offsetBytes: 0, lengthBytes });
  if (body === null || body instanceof Uint8Array) return body ?? new Uint8Array();
  const bytes = new Uint8Array(lengthBytes);
  let at = 0;
  for await (const chunk of body) {
    bytes.set(chunk.subarray(0, lengthBytes - at), at);
    at += chunk.length;
  }
  return bytes;
}

/** The text in UTF-8; null: it is in another encoding, or binary. */
function decode(bytes: Uint8Array, isCut: boolean): string | null {
  // Where it is cut, the last letter may be half.
  const text = new TextDecoder('utf-8').decode(bytes, { stream: isCut });
  return text.includes('\u0000') || text.includes('\ufffd') ? null : text;
}
