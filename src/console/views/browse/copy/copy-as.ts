// Puts what is selected on the clipboard: as URLs, S3 URIs, curl, Markdown, HTML or
// paths.
import { client } from '../../../api/client.ts';
import { href, objectPath } from '../../../app/router.ts';
import { t } from '../../../i18n/i18n.ts';
import { copyText } from '../../../ui/copy.ts';
import type { Selection } from '../selection.ts';
import { type Copied, type CopyFormat, lineOf } from './copy-line.ts';

/** Rows that are copied at once: what one request signs. */
const ROWS_MAX = 1000;
/** Objects that are asked for their public URL one by one; more get signed URLs. */
const ASKED_MAX = 20;
/** Life of a signed URL, seconds: a week, the longest that SigV4 allows. */
const URL_LIFE_SECONDS = 7 * 86_400;

/** Copies the rows, one a line. Folders are copied by their address in the console. */
export async function copySelection(selection: Selection, format: CopyFormat): Promise<void> {
  const { bucket, prefix, isAll } = selection;
  const keys = isAll ? [prefix] : selection.rows.slice(0, ROWS_MAX).map(({ key }) => key);
  const needsUrl = format !== 's3' && format !== 'path';
  const rows = needsUrl ? await urlsOf(bucket, keys) : keys.map((key) => ({ key, url: '' }));
  const lines = rows.map((row) => lineOf(bucket, row, format));
  await copyText(lines.join('\n'), t().browse.copied(lines.length, `${lines.length}`));
}

/** Public URLs where strangers may read, else URLs that are signed for a week. */
async function urlsOf(bucket: string, keys: readonly string[]): Promise<readonly Copied[]> {
  const objects = keys.filter((key) => key !== '' && !key.endsWith('/'));
  const known = new Map<string, string>();
  if (objects.length <= ASKED_MAX) {
    const details = objects.map((key) =>
      client.request('GET /buckets/{bucket}/object', { path: { bucket }, query: { key } }),
    );
    for (const { key, publicUrl } of await Promise.all(details)) {
      if (publicUrl !== null) known.set(key, publicUrl);
    }
  }
  const rest = objects.filter((key) => !known.has(key));
  if (rest.length > 0) {
    const { items } = await client.request('POST /buckets/{bucket}/presigned-urls', {
      path: { bucket },
      body: {
        requests: rest.map((key) => ({ operation: 'get' as const, key })),
        expiresSeconds: URL_LIFE_SECONDS,
      },
    });
    for (const [at, key] of rest.entries()) known.set(key, items[at]?.url ?? '');
  }
  const console = (key: string) => location.origin + href(objectPath(bucket, key));
  return keys.map((key) => ({ key, url: known.get(key) ?? console(key) }));
}
