// All versions and uploads of a bucket as a client can read them, by short pages: for tests that
// compare them with what was acknowledged.
import { aws, expectOk } from './platform-client.ts';

/** A version that is there, with what reading it gave; `body`: null for a delete marker. */
export type ReadVersion = {
  readonly id: string;
  readonly body: string | null;
  readonly isHeld: boolean;
};

/** An upload that is there, with the entity tags of its parts by number. */
export type ReadUpload = { readonly id: string; readonly etags: ReadonlyMap<number, string> };

/** What is at a key: versions with the newest first. */
export type ReadKey = { readonly versions: ReadVersion[]; readonly uploads: ReadUpload[] };

const PAGE = 13;

const elementsOf = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, text = '']) => text);
const textOf = (xml: string, name: string) => elementsOf(xml, name)[0] ?? '';

async function readPage(url: string, query: string): Promise<string> {
  return (await expectOk(aws.fetch(`${url}?${query}`))).text();
}

/** Names of versions in the order of the list. Throws when one comes twice, or out of order. */
export async function listVersions(
  bucketUrl: string,
): Promise<readonly { key: string; id: string; isMarker: boolean }[]> {
  const listed: { key: string; id: string; isMarker: boolean }[] = [];
  const ids = new Set<string>();
  let marker = '';
  for (;;) {
    const xml = await readPage(bucketUrl, `versions&max-keys=${PAGE}${marker}`);
    for (const [, kind, entry = ''] of xml.matchAll(
      /<(Version|DeleteMarker)>(.*?)<\/(?:Version|DeleteMarker)>/gs,
    )) {
      const [key, id] = [textOf(entry, 'Key'), textOf(entry, 'VersionId')];
      if (ids.has(id)) throw new Error(`${key} ${id} comes twice`);
      const before = listed.at(-1)?.key ?? '';
      if (before > key) throw new Error(`${key} comes behind ${before}`);
      ids.add(id);
      listed.push({ key, id, isMarker: kind === 'DeleteMarker' });
    }
    if (textOf(xml, 'IsTruncated') !== 'true') return listed;
    const key = encodeURIComponent(textOf(xml, 'NextKeyMarker'));
    const version = textOf(xml, 'NextVersionIdMarker');
    marker = `&key-marker=${key}&version-id-marker=${version}`;
  }
}

async function listUploads(bucketUrl: string): Promise<readonly { key: string; id: string }[]> {
  const listed: { key: string; id: string }[] = [];
  let marker = '';
  for (;;) {
    const xml = await readPage(bucketUrl, `uploads&max-uploads=${PAGE}${marker}`);
    for (const entry of elementsOf(xml, 'Upload'))
      listed.push({ key: textOf(entry, 'Key'), id: textOf(entry, 'UploadId') });
    if (textOf(xml, 'IsTruncated') !== 'true') return listed;
    const key = encodeURIComponent(textOf(xml, 'NextKeyMarker'));
    marker = `&key-marker=${key}&upload-id-marker=${textOf(xml, 'NextUploadIdMarker')}`;
  }
}

/** Reads every version and the parts of every upload, by key. */
export async function readBucket(bucketUrl: string): Promise<Map<string, ReadKey>> {
  const keys = new Map<string, ReadKey>();
  const at = (key: string): ReadKey => {
    const known = keys.get(key) ?? { versions: [], uploads: [] };
    keys.set(key, known);
    return known;
  };
  for (const { key, id, isMarker } of await listVersions(bucketUrl)) {
    if (isMarker) {
      at(key).versions.push({ id, body: null, isHeld: false });
      continue;
    }
    const response = await expectOk(aws.fetch(`${bucketUrl}/${key}?versionId=${id}`));
    const isHeld = response.headers.get('x-amz-object-lock-legal-hold') === 'ON';
    at(key).versions.push({ id, body: await response.text(), isHeld });
  }
  for (const { key, id } of await listUploads(bucketUrl)) {
    const xml = await readPage(`${bucketUrl}/${key}`, `uploadId=${id}`);
    const etags = elementsOf(xml, 'Part').map(
      (part) =>
        [
          Number(textOf(part, 'PartNumber')),
          textOf(part, 'ETag').replaceAll('&quot;', ''),
        ] as const,
    );
    at(key).uploads.push({ id, etags: new Map(etags) });
  }
  return keys;
}
