// Every detail of an object that GET /object returns.

import type { ComponentChildren } from 'preact';
import type { ObjectDetail } from 'quayside/client';
import { exactCount, exactTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';

type DetailsProps = { readonly bucket: string; readonly facts: ObjectDetail };

export default function Details({ bucket, facts }: DetailsProps) {
  const texts = t().object.facts;
  const { retention, encryption, checksum } = facts;
  const rows: readonly (readonly [label: string, value: ComponentChildren])[] = [
    [t().browse.path, `s3://${bucket}/${facts.key}`],
    [t().browse.size, `${exactCount(facts.size)} B`],
    [t().browse.modified, exactTime(facts.lastModified)],
    ['Content-Type', facts.contentType],
    ['Cache-Control', facts.cacheControl],
    ['Content-Disposition', facts.contentDisposition],
    ['Content-Encoding', facts.contentEncoding],
    ['Content-Language', facts.contentLanguage],
    ['Expires', facts.expires],
    [t().browse.redirect, facts.websiteRedirectLocation],
    ['ETag', facts.etag],
    [texts.checksum, checksum === null ? null : `${checksum.algorithm} ${checksum.value}`],
    [t().browse.parts, facts.parts === null ? null : exactCount(facts.parts)],
    [t().browse.storageClass, facts.storageClass],
    [t().browse.versionId, facts.versionId === 'null' ? null : facts.versionId],
    [texts.encryption, encryption === null ? null : texts.encryptions[encryption.kind]],
    [
      t().browse.lockedUntil,
      retention === null ? null : `${retention.mode} ${exactTime(retention.until)}`,
    ],
    [t().browse.legalHold, facts.legalHold ? texts.isSet : null],
    ...Object.entries(facts.metadata).map(([name, value]) => [name, value] as const),
  ];
  const tags = Object.entries(facts.tags);
  return (
    <>
      <dl class="facts">
        {rows.map(
          ([label, value]) =>
            value !== null &&
            value !== undefined && (
              <Row key={label} label={label}>
                {value}
              </Row>
            ),
        )}
      </dl>
      {tags.length > 0 && (
        <>
          <h3 class="facts-title">{t().browse.tags}</h3>
          <dl class="facts">
            {tags.map(([name, value]) => (
              <Row key={name} label={name}>
                {value}
              </Row>
            ))}
          </dl>
        </>
      )}
    </>
  );
}

function Row({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <dt>
        <bdi>{label}</bdi>
      </dt>
      <dd class="mono">
        <bdi>{children}</bdi>
      </dd>
    </>
  );
}
