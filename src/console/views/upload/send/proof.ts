// The list of a batch as proof: what was sent, with the checksum that the server
// verified, as CSV.
import type { QueueItem } from 'quayside/client';
import { client } from '../../../api/client.ts';

/** Requests at once for objects that went in parts: the server has their checksum. */
const AT_ONCE = 6;
const HEAD = ['bucket', 'key', 'bytes', 'algorithm', 'checksum', 'etag', 'version', 'state'];

type Checksum = { readonly algorithm: string; readonly value: string };

/** Makes the CSV of all items; of those that went in parts the server is asked. */
export async function proofCsv(items: readonly QueueItem[]): Promise<string> {
  const checksums = new Map<string, Checksum | null>();
  const left = items.filter(({ result }) => result !== null && result.checksum === null).values();
  const askOn = async () => {
    for (const { id, bucket, key, result } of left) {
      const there = await client.objects.get(bucket, { query: { key } }).catch(() => null);
      // Somebody else's later object is no proof of ours.
      if (there !== null && there.etag === result?.etag) checksums.set(id, there.checksum);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askOn));
  const rows = items.map(({ id, bucket, key, sizeBytes, state, result, error }) => {
    const { algorithm = '', value = '' } = result?.checksum ?? checksums.get(id) ?? {};
    const { etag = '', versionId = null } = result ?? {};
    const said = error === null ? state : `${state}: ${error.code}`;
    return [bucket, key, `${sizeBytes}`, algorithm, value, etag, versionId ?? '', said];
  });
  return [HEAD, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/**
 * A cell of CSV. What a spreadsheet would run as a formula begins with a quote. Source:
 * RFC 4180; https://owasp.org/www-community/attacks/CSV_Injection
 */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Saves the list as a file. */
export async function saveProof(items: readonly QueueItem[]): Promise<void> {
  const csv = new Blob(['\ufeff', await proofCsv(items)], { type: 'text/csv' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(csv);
  link.download = 'uploads.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
