// Draws the ids of links and of their labels. Called by core/links.
import { randomBytes } from '../../crypto/random-text.ts';
import type { LabelId, LinkId } from '../../domain/links/link-ids.ts';
import { LABEL_ID_BYTES, LINK_ID_BYTES } from '../../domain/links/link-limits.ts';

const drawText = (bytes: number): string =>
  randomBytes(bytes).toBase64({ alphabet: 'base64url', omitPadding: true });

/** An id that can't be guessed. */
export function newLinkId(): LinkId {
  return drawText(LINK_ID_BYTES) as LinkId;
}

/** A label's id: unique within its link for all that matters. */
export function newLabelId(): LabelId {
  return drawText(LABEL_ID_BYTES) as LabelId;
}
