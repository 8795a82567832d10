// What a link is called: its id, the label of a recipient, and how both stand in an
// address, `{id}` or `{id}~{label}`. Pure.
import type { AccountId, BucketAddress } from '../nouns.ts';
import { LABEL_ID_LENGTH, LINK_ID_LENGTH } from './link-limits.ts';

declare const brand: unique symbol;
/** Random and unguessable; made by core/links/new-link-ids.ts or read by `parseLinkId`. */
export type LinkId = string & { readonly [brand]: 'LinkId' };
/** Tells the recipients of one link apart. */
export type LabelId = string & { readonly [brand]: 'LabelId' };

/** A share link gives files, a drop link takes them. */
export type LinkKind = 'share' | 'drop';

/** What the directory stores of a link. It never changes; the link itself is its bucket's. */
export type LinkEntry = {
  readonly id: LinkId;
  readonly kind: LinkKind;
  readonly bucket: BucketAddress;
  readonly accountId: AccountId;
  readonly createdAtMs: number;
};

/** A link as an address names it; `labelId` null: no recipient in particular. */
export type LinkName = { readonly id: LinkId; readonly labelId: LabelId | null };

const SEPARATOR = '~';
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** The id; null for a text that none can be. */
export function parseLinkId(text: string): LinkId | null {
  return text.length === LINK_ID_LENGTH && BASE64URL.test(text) ? (text as LinkId) : null;
}

/** The label's id; null for a text that none can be. */
export function parseLabelId(text: string): LabelId | null {
  return text.length === LABEL_ID_LENGTH && BASE64URL.test(text) ? (text as LabelId) : null;
}

/** Reads `{id}` or `{id}~{label}` as it stands in an address; null for anything else. */
export function parseLinkName(segment: string): LinkName | null {
  const id = parseLinkId(segment.slice(0, LINK_ID_LENGTH));
  if (id === null) return null;
  if (segment.length === LINK_ID_LENGTH) return { id, labelId: null };
  if (segment[LINK_ID_LENGTH] !== SEPARATOR) return null;
  const labelId = parseLabelId(segment.slice(LINK_ID_LENGTH + 1));
  return labelId === null ? null : { id, labelId };
}

/** How a link stands in an address. */
export function linkNameText({ id, labelId }: LinkName): string {
  return labelId === null ? id : `${id}${SEPARATOR}${labelId}`;
}

/** The first part of the paths of each kind, with both slashes. */
export const LINK_PATHS = { share: '/-/s/', drop: '/-/d/' } as const satisfies Record<
  LinkKind,
  string
>;

/** The path of a link's address. */
export function linkPath(kind: LinkKind, name: LinkName): string {
  return LINK_PATHS[kind] + linkNameText(name);
}
