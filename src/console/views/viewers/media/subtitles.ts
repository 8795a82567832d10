// Subtitles that lie beside a film: `film.srt`, `film.en.vtt`. Browsers take WebVTT
// alone, so SubRip is rewritten.
import { client } from '../../../api/client.ts';
import { objectSource } from '../bytes.ts';
import { createDecoder } from '../text/decode.ts';

export type Subtitles = {
  /** `en` of `film.en.vtt`; the whole name where it says nothing. */
  readonly label: string;
  /** A blob URL, to be given back by revokeObjectURL. */
  readonly url: string;
};

/** Subtitles above this are none, bytes. */
const SUBTITLES_MAX_BYTES = 4 * 1024 * 1024;
const FILES_MAX = 8;

/** A time of SubRip, `00:01:02,500`; WebVTT has a dot in it. */
const SUBRIP_TIME = /(\d{1,3}:\d{2}:\d{2}),(\d{3})/g;

/** SubRip as WebVTT. */
export const vttOf = (subRip: string): string =>
  `WEBVTT\n\n${subRip.replaceAll('\r\n', '\n').replace(SUBRIP_TIME, '$1.$2')}`;

/** Finds and reads the subtitles beside a film. */
export async function findSubtitles(
  bucket: string,
  key: string,
  signal: AbortSignal,
): Promise<readonly Subtitles[]> {
  const stem = key.slice(0, key.lastIndexOf('.') + 1);
  if (stem === '') return [];
  const listing = await client.request('GET /buckets/{bucket}/objects', {
    path: { bucket },
    query: { prefix: stem, delimiter: '/', limit: 100 },
    signal,
  });
  const files = listing.items
    .filter((entry) => entry.kind === 'object')
    .filter((entry) => /\.(?:vtt|srt)$/i.test(entry.key))
    .filter((entry) => Number(entry.size) <= SUBTITLES_MAX_BYTES)
    .slice(0, FILES_MAX);
  return Promise.all(
    files.map(async (file) => {
      const stored = { bucket, key: file.key, etag: file.etag, sizeBytes: Number(file.size) };
      const source = objectSource({ ...stored, contentEncoding: null });
      const bytes = await source.read(0, SUBTITLES_MAX_BYTES, signal);
      const text = createDecoder().decode(bytes, true);
      const vtt = /\.srt$/i.test(file.key) ? vttOf(text) : text;
      const middle = file.key.slice(stem.length, file.key.lastIndexOf('.'));
      const url = URL.createObjectURL(new Blob([vtt], { type: 'text/vtt' }));
      return { label: middle === '' ? file.key.slice(stem.length) : middle, url };
    }),
  );
}
