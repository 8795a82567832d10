// The README of a folder, where there is one: what the folder is about, in the words
// of whoever filled it.
import { client } from '../../../api/client.ts';
import { useQuery } from '../../../api/query.ts';
import { nameOf } from '../../browse/selection.ts';
import { Viewer } from '../viewer.tsx';

/** Spellings that are looked for; S3 knows no names without regard to case. */
const BEGINNINGS = ['README', 'readme', 'Readme'] as const;
const IS_README = /^readme(?:\.(?:md|markdown|txt))?$/i;
/** Names that begin so and are looked at. */
const NAMES_MAX = 10;

type ReadmeProps = { readonly bucket: string; readonly prefix: string };

/** Finds the README of a folder; null: it has none. */
const useReadme = (bucket: string, prefix: string) =>
  useQuery(`folder ${bucket} ${prefix} readme`, async (signal) => {
    const listings = await Promise.all(
      BEGINNINGS.map((beginning) =>
        client.request('GET /buckets/{bucket}/objects', {
          path: { bucket },
          query: { prefix: prefix + beginning, delimiter: '/', limit: NAMES_MAX },
          signal,
        }),
      ),
    );
    const found = listings
      .flatMap(({ items }) => items)
      .find((entry) => entry.kind === 'object' && IS_README.test(nameOf(entry.key)));
    return { key: found?.kind === 'object' ? found.key : null };
  });

/** Shows it, or nothing: a folder without one is no failure. */
export function FolderReadme({ bucket, prefix }: ReadmeProps) {
  const key = useReadme(bucket, prefix).data.value?.key ?? null;
  if (key === null) return null;
  return (
    <section class="folder-readme">
      <h3>
        <bdi>{nameOf(key)}</bdi>
      </h3>
      <Viewer key={key} bucket={bucket} objectKey={key} compact />
    </section>
  );
}
