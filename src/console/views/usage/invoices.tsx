// Closed months with their files.
import { client, inAccount } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { href } from '../../app/router.ts';
import { money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Waiting } from '../../ui/waiting.tsx';

const SHOWN_MAX = 24;
const FILES = ['invoice.pdf', 'invoice.csv', 'focus.csv'] as const;

const fileUrl = (period: string, issue: number, file: string): string =>
  inAccount(`/-/api/v1/invoices/${period}/${file}?issue=${issue}`);

export function Invoices() {
  const texts = t().usage;
  const invoices = useQuery('invoices', (signal) =>
    client.request('GET /invoices', { query: { limit: SHOWN_MAX }, signal }),
  );
  const items = invoices.data.value?.items ?? null;
  return (
    <section aria-label={texts.invoices}>
      <h2 class="section-title">{texts.invoices}</h2>
      <Waiting of={invoices} width={160} />
      {items?.length === 0 && <p class="faint">{texts.noInvoices}</p>}
      <ul class="invoices">
        {items?.map(({ number, period, issue, isVoid, totalMicro, currency }) => (
          <li key={`${period} ${issue}`}>
            <span class="spread">
              <a href={href(`/usage?month=${period}`)}>{isVoid ? texts.void(period) : period}</a>
              <span>{money(totalMicro, currency)}</span>
            </span>
            <span class="faint">
              {number}
              {FILES.map((file) => (
                <span key={file}>
                  {' · '}
                  <a href={fileUrl(period, issue, file)} download>
                    {texts.files[file]}
                  </a>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
