// Website: hosting with its hosts, S3's older website setting, CORS.
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { t } from '../../i18n/i18n.ts';
import { JsonSetting } from './json-setting.tsx';
import type { SectionProps } from './setting-form.tsx';

export function WebsiteSection(props: SectionProps) {
  const texts = t().buckets.website;
  return (
    <>
      <JsonSetting
        {...props}
        title={texts.hosting}
        sentence={props.bucket.hosting === null ? texts.hostingOff : texts.hostingOn}
        field="hosting"
        label={texts.settings}
        hint={texts.hostingExample}
        below={<Hosts {...props} />}
      />
      <JsonSetting
        {...props}
        title={texts.s3Website}
        sentence={texts.s3WebsiteHint}
        field="website"
        label={texts.settings}
        hint={texts.s3Example}
      />
      <JsonSetting
        {...props}
        title={texts.cors}
        sentence={props.bucket.cors.length === 0 ? texts.corsOff : texts.corsOn(originsOf(props))}
        field="cors"
        label={texts.rules}
        hint={texts.corsExample}
      />
    </>
  );
}

const originsOf = ({ bucket }: SectionProps): string =>
  [...new Set(bucket.cors.flatMap(({ allowedOrigins }) => allowedOrigins))].join(', ');

/** The hosts of the bucket, and what DNS must say of those that are not bound yet. */
function Hosts({ bucket }: SectionProps) {
  const texts = t().buckets.website;
  const domains = useQuery(
    `bucket ${bucket.name} domains ${JSON.stringify(bucket.hosting)}`,
    (signal) =>
      client.request('GET /buckets/{bucket}/domains', { path: { bucket: bucket.name }, signal }),
  );
  const found = domains.data.value;
  if (found === null || bucket.hosting === null) return null;
  const own = found.websiteHost === null ? [] : [found.websiteHost];
  return (
    <ul class="opened">
      {own.map((host) => (
        <li key={host}>
          <span class="cut mono">{host}</span>
          <span class="dim">{texts.bound}</span>
        </li>
      ))}
      {found.items.map(({ host, isBound, record }) => (
        <li key={host}>
          <span class="cut mono">{host}</span>
          <span class={isBound ? 'dim' : 'warn'}>
            {isBound ? texts.bound : record === null ? texts.unbound : texts.needsRecord}
          </span>
          {!isBound && record !== null && (
            <code class="code">{`${record.name} ${record.type} ${record.value}`}</code>
          )}
        </li>
      ))}
    </ul>
  );
}
