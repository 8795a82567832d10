// What differs in the headers, metadata and tags of two objects.
import type { ObjectDetail } from 'quayside/client';
import { t } from '../../i18n/i18n.ts';

type Facts = ReadonlyMap<string, string>;

/** All facts of an object besides its bytes, by S3's names. */
function factsOf(detail: ObjectDetail): Facts {
  const named = {
    'Content-Type': detail.contentType,
    'Cache-Control': detail.cacheControl,
    'Content-Disposition': detail.contentDisposition,
    'Content-Encoding': detail.contentEncoding,
    'Content-Language': detail.contentLanguage,
    Expires: detail.expires,
    'x-amz-website-redirect-location': detail.websiteRedirectLocation,
    'x-amz-storage-class': detail.storageClass ?? null,
  };
  const metadata = Object.entries(detail.metadata).map(
    ([name, value]) => [`x-amz-meta-${name}`, value] as const,
  );
  const tags = Object.entries(detail.tags).map(
    ([name, value]) => [`${t().browse.tags}: ${name}`, value] as const,
  );
  const set = Object.entries(named).filter((pair): pair is [string, string] => pair[1] !== null);
  return new Map([...set, ...metadata, ...tags]);
}

type FactsProps = { readonly left: ObjectDetail; readonly right: ObjectDetail };

export function FactsDiff({ left, right }: FactsProps) {
  const texts = t().viewers.compare;
  const one = factsOf(left);
  const other = factsOf(right);
  const names = [...new Set([...one.keys(), ...other.keys()])];
  const changed = names.filter((name) => one.get(name) !== other.get(name));
  if (changed.length === 0) return <p class="dim">{texts.noFacts}</p>;
  return (
    <table class="facts-diff">
      <tbody>
        {changed.map((name) => (
          <tr key={name}>
            <th scope="row">
              <bdi>{name}</bdi>
            </th>
            <td class="mono is-removed">
              <bdi>{one.get(name) ?? texts.none}</bdi>
            </td>
            <td class="mono is-added">
              <bdi>{other.get(name) ?? texts.none}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
