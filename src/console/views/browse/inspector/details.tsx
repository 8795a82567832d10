// What is stored beside an object's bytes: headers, ETag, checksum, class, lock,
// metadata, tags.
import type { Answer } from 'quayside/client';
import { endTime, exactCount, exactTime } from '../../../i18n/format.ts';
import { t } from '../../../i18n/i18n.ts';
import { Skeleton } from '../../../ui/small.tsx';

type Detail = Answer<'GET /buckets/{bucket}/object'>;
type Fact = readonly [label: string, value: string | null, isCode?: boolean];

export function Details({ detail }: { readonly detail: Detail | null }) {
  if (detail === null) return <Skeleton width={200} />;
  const texts = t().browse;
  const metadata = Object.entries(detail.metadata);
  const tags = Object.entries(detail.tags);
  return (
    <>
      <Facts facts={factsOf(detail)} />
      {metadata.length > 0 && (
        <>
          <h4>{texts.metadata}</h4>
          <Facts facts={metadata.map(([name, value]) => [name, value, true])} />
        </>
      )}
      {tags.length > 0 && (
        <>
          <h4>{texts.tags}</h4>
          <Facts facts={tags.map(([name, value]) => [name, value])} />
        </>
      )}
    </>
  );
}

function factsOf(detail: Detail): readonly Fact[] {
  const texts = t().browse;
  const { checksum, retention, encryption, parts } = detail;
  return [
    [texts.key, detail.key, true],
    [texts.size, `${exactCount(detail.size)} B`],
    [texts.modified, exactTime(detail.lastModified)],
    ['Content-Type', detail.contentType, true],
    ['Cache-Control', detail.cacheControl, true],
    ['Content-Encoding', detail.contentEncoding, true],
    ['Content-Disposition', detail.contentDisposition, true],
    ['Content-Language', detail.contentLanguage, true],
    ['Expires', detail.expires, true],
    [texts.redirect, detail.websiteRedirectLocation, true],
    ['ETag', detail.etag, true],
    [checksum?.algorithm ?? '', checksum?.value ?? null, true],
    [texts.parts, parts === null ? null : exactCount(parts)],
    [texts.storageClass, detail.storageClass ?? null],
    [texts.versionId, detail.versionId, true],
    [texts.encryption, encryption === null ? null : texts.encryptions[encryption.kind]],
    [texts.lockedUntil, retention === null ? null : endTime(retention.until)],
    [texts.legalHold, detail.legalHold ? texts.yes : null],
  ];
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([label, value, isCode = false]) =>
          value !== null &&
          value !== '' && (
            <>
              <dt key={label}>{label}</dt>
              <dd class={isCode ? 'mono' : undefined}>
                <bdi>{value}</bdi>
              </dd>
            </>
          ),
      )}
    </dl>
  );
}
