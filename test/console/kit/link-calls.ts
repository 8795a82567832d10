// Calls of links of both kinds, for tests of the console and of link pages; and a sender of files.
import type {
  Client,
  DropLink,
  NewDropLink,
  NewShareLink,
  ShareLink,
} from '../../../src/client/index.ts';

export const createLink = (
  client: Client,
  bucket: string,
  body: NewShareLink,
): Promise<ShareLink> =>
  client.request('POST /buckets/{bucket}/share-links', { path: { bucket }, body });

export const getLink = (client: Client, bucket: string, linkId: string): Promise<ShareLink> =>
  client.request('GET /buckets/{bucket}/share-links/{linkId}', { path: { bucket, linkId } });

export const createDrop = (client: Client, bucket: string, body: NewDropLink): Promise<DropLink> =>
  client.request('POST /buckets/{bucket}/drop-links', { path: { bucket }, body });

export const getDrop = (client: Client, bucket: string, dropLinkId: string): Promise<DropLink> =>
  client.request('GET /buckets/{bucket}/drop-links/{dropLinkId}', { path: { bucket, dropLinkId } });

type Sender = { readonly name?: string; readonly mail?: string; readonly note?: string };
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Sends files as somebody without an account, each in one request of tus. */
export async function sendFiles(
  link: DropLink,
  sender: Sender,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const joined = await fetch(`${link.url}/senders`, {
    method: 'POST',
    body: JSON.stringify(sender),
  });
  if (joined.status !== 201) throw new Error(`${joined.status} ${await joined.text()}`);
  const { code } = (await joined.json()) as { code: string };
  for (const [name, content] of Object.entries(files)) {
    const body = Buffer.from(content);
    const sent = await fetch(`${link.url}/files`, {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        'x-quayside-drop-code': code,
        'upload-length': `${body.length}`,
        'upload-metadata': `relativePath ${base64(name)},filetype ${base64('text/plain')}`,
        'content-type': 'application/offset+octet-stream',
      },
      body,
    });
    if (sent.status !== 201) throw new Error(`${name}: ${sent.status} ${await sent.text()}`);
  }
}
