// What grew in the last week: storage by bucket and day, out of the ledger.
import { Box } from 'lucide';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { href, objectPath } from '../../app/router.ts';
import { bytes } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/small.tsx';
import { growthOf } from './growth-of.ts';
import { Spark } from './spark.tsx';

const DAY_MS = 86_400_000;
const DAYS = 8;
const ROWS_MAX = 5;

export function Growth() {
  const texts = t().home;
  const usage = useQuery('usage week', (signal) =>
    client.request('GET /usage', {
      query: {
        from: new Date(Math.floor(Date.now() / DAY_MS - DAYS + 1) * DAY_MS).toISOString(),
        by: 'day',
        groupBy: 'bucket',
        meter: 'storage',
      },
      signal,
    }),
  );
  const rows = growthOf(usage.data.value?.items ?? []).slice(0, ROWS_MAX);
  return (
    <section>
      <h2 class="section-title">{texts.grew}</h2>
      {usage.data.value === null && <Skeleton width={220} />}
      {usage.data.value !== null && rows.length === 0 && <p class="faint">{texts.nothingGrew}</p>}
      {rows.map(({ bucket, days, grownBytes }) => (
        <div class="line" key={bucket}>
          <Icon of={Box} />
          <a class="cut" href={href(objectPath(bucket, ''))}>
            {bucket}
          </a>
          <span class="line-end">
            <Spark values={days} />
            <span class="number wide-figure">
              {grownBytes < 0 ? '−' : '+'}
              {bytes(Math.abs(grownBytes))}
            </span>
          </span>
        </div>
      ))}
    </section>
  );
}
