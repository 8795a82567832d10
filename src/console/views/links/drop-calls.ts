// The calls of drop links, by the names of their bucket and their id.
import type {
  DropFile,
  DropLink,
  DropLinkChange,
  DropSender,
  NewDropLink,
  ShareHistoryEntry,
} from 'quayside/client';
import { client } from '../../api/client.ts';

const LINK = '/buckets/{bucket}/drop-links/{dropLinkId}';
/** Rows of one request, and rows of a link that are read in all. */
const PAGE = 1000;
export const READ_MAX = 5000;

/** What senders may be asked. */
export const FIELDS = ['name', 'mail', 'note'] as const;

export const createDrop = (bucket: string, body: NewDropLink): Promise<DropLink> =>
  client.request('POST /buckets/{bucket}/drop-links', { path: { bucket }, body });

export const getDrop = (
  bucket: string,
  dropLinkId: string,
  signal: AbortSignal,
): Promise<DropLink> => client.request(`GET ${LINK}`, { path: { bucket, dropLinkId }, signal });

/** `ifMatch`: the link as it was seen, or `*`. */
export const changeDrop = (
  bucket: string,
  dropLinkId: string,
  body: DropLinkChange,
  ifMatch: DropLink | '*',
): Promise<DropLink> =>
  client.request(`PATCH ${LINK}`, { path: { bucket, dropLinkId }, body, ifMatch });

export const deleteDrop = (bucket: string, dropLinkId: string): Promise<void> =>
  client.request(`DELETE ${LINK}`, { path: { bucket, dropLinkId } });

/** Starts the job that moves all that waits to where it belongs. */
export const releaseDrop = (bucket: string, dropLinkId: string): Promise<{ jobId: string }> =>
  client.request(`POST ${LINK}/release`, { path: { bucket, dropLinkId } });

export const dropHistory = (
  bucket: string,
  dropLinkId: string,
  signal: AbortSignal,
): Promise<{ items: ShareHistoryEntry[] }> =>
  client.request(`GET ${LINK}/history`, { path: { bucket, dropLinkId }, signal });

/** What came by a link, and from whom. */
export type Inbox = {
  readonly files: readonly DropFile[];
  readonly senders: readonly DropSender[];
};

export async function readInbox(
  bucket: string,
  dropLinkId: string,
  signal: AbortSignal,
): Promise<Inbox> {
  const path = { bucket, dropLinkId };
  const [files, senders] = await Promise.all([
    readAll((query) => client.request(`GET ${LINK}/files`, { path, query, signal })),
    readAll((query) => client.request(`GET ${LINK}/senders`, { path, query, signal })),
  ]);
  return { files, senders };
}

type Page<Row> = { readonly items: readonly Row[]; readonly nextCursor: string | null };

async function readAll<Row>(
  read: (query: { limit: number; cursor?: string }) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = null; rows.length < READ_MAX; ) {
    const page: Page<Row> = await read({ limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    rows.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return rows;
}
