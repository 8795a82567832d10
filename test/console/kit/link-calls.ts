// Calls of share links, for tests of the console and of link pages.
import type { Client, NewShareLink, ShareLink } from '../../../src/client/index.ts';

export const createLink = (
  client: Client,
  bucket: string,
  body: NewShareLink,
): Promise<ShareLink> =>
  client.request('POST /buckets/{bucket}/share-links', { path: { bucket }, body });

export const getLink = (client: Client, bucket: string, linkId: string): Promise<ShareLink> =>
  client.request('GET /buckets/{bucket}/share-links/{linkId}', { path: { bucket, linkId } });
