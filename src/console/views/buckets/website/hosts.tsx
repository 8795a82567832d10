// The hosts at which a bucket is shown, and what DNS must say first.
import { client } from '../../../api/client.ts';
import { useQuery } from '../../../api/query.ts';
import { t } from '../../../i18n/i18n.ts';
import type { SectionProps } from '../setting-form.tsx';

/** The hosts of the bucket, and what DNS must say of those that are not bound yet. */
export function Hosts({ bucket }: SectionProps) {
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
