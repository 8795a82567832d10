// The calls of one share link, by the names of its bucket and its id.
import type { NewShareLink, ShareLink, ShareLinkChange } from 'quayside/client';
import { client } from '../../api/client.ts';

const LINK = '/buckets/{bucket}/share-links/{linkId}';

export const createLink = (bucket: string, body: NewShareLink): Promise<ShareLink> =>
  client.request('POST /buckets/{bucket}/share-links', { path: { bucket }, body });

export const getLink = (bucket: string, linkId: string, signal: AbortSignal): Promise<ShareLink> =>
  client.request(`GET ${LINK}`, { path: { bucket, linkId }, signal });

/** `ifMatch`: the link as it was seen, or `*`. */
export const changeLink = (
  bucket: string,
  linkId: string,
  body: ShareLinkChange,
  ifMatch: ShareLink | '*',
): Promise<ShareLink> =>
  client.request(`PATCH ${LINK}`, { path: { bucket, linkId }, body, ifMatch });

export const deleteLink = (bucket: string, linkId: string): Promise<void> =>
  client.request(`DELETE ${LINK}`, { path: { bucket, linkId } });
