// Usage and bill: so far, what it comes to, the cap; which lines, days and buckets it
// goes to; invoices and caps. The address names the month: `/usage?month=2026-10`.
import { ChevronLeft, ChevronRight } from 'lucide';
import { useEffect } from 'preact/hooks';
import type { Invoice } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { moneyCapOf, useOverview } from '../../app/overview.ts';
import { query, setQuery } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { date, exactMoney, money, percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { LoadLine, Note, Skeleton } from '../../ui/small.tsx';
import { BillLines } from './bill-lines.tsx';
import { ByBucket } from './by-bucket.tsx';
import { ByDay } from './by-day.tsx';
import { Caps, openSetCap } from './caps.tsx';
import { Invoices } from './invoices.tsx';
import { Used } from './used.tsx';

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const thisMonth = (): string => new Date().toISOString().slice(0, 7);

/** The month so many after another: `2026-12` and 1 is `2027-01`. */
function monthAfter(period: string, months: number): string {
  const at = new Date(`${period}-15T00:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + months);
  return at.toISOString().slice(0, 7);
}

export default function Usage() {
  useEffect(() => {
    document.title = `${t().shell.usage} · Quayside`;
  }, []);
  return (
    <>
      <TopBar>
        <Title>{t().shell.usage}</Title>
      </TopBar>
      <div class="page">
        <div class="wrap usage">{may('billing:read') ? <Bill /> : <UsageOnly />}</div>
      </div>
    </>
  );
}

/** What a role sees that may not see the bill: amounts without money, and the caps. */
function UsageOnly() {
  const period = thisMonth();
  return (
    <>
      <div class="page-head">
        <h1>{monthTitle(period)}</h1>
      </div>
      <Note>{t().usage.usageOnly}</Note>
      <div class="usage-columns">
        <Used period={period} />
        {may('caps:read') && <Caps currency={null} />}
      </div>
    </>
  );
}

function Bill() {
  const asked = query.value.get('month') ?? '';
  const running = thisMonth();
  const period = MONTH.test(asked) && asked < running ? asked : running;
  const invoice = useQuery(`usage invoice ${period}`, (signal) =>
    client.request('GET /invoices/{period}', { path: { period }, signal }),
  );
  const { data, error, reload } = invoice;
  const isRunning = period === running;
  return (
    <>
      <Head period={period} isRunning={isRunning} />
      {data.value === null && error.value !== null ? (
        <Failure error={error.value} onRetry={reload} />
      ) : (
        <>
          <Figures invoice={data.value} isRunning={isRunning} />
          <div class="usage-columns">
            <div>
              <ByDay period={period} invoice={data.value} isRunning={isRunning} />
              <BillLines invoice={data.value} />
            </div>
            <div>
              <ByBucket period={period} invoice={data.value} />
              {may('caps:read') && <Caps currency={data.value?.currency ?? null} />}
              <Invoices />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** `November 2026` */
function monthTitle(period: string): string {
  return new Intl.DateTimeFormat(document.documentElement.lang, {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${period}-15T00:00:00Z`));
}

function Head({ period, isRunning }: { readonly period: string; readonly isRunning: boolean }) {
  const texts = t().usage;
  const goTo = (months: number) => setQuery({ month: monthAfter(period, months), day: null });
  return (
    <div class="page-head">
      <h1>{monthTitle(period)}</h1>
      {isRunning && (
        <span class="tag">{texts.openUntil(date(`${monthAfter(period, 1)}-01T12:00:00Z`))}</span>
      )}
      <span class="gap" />
      <Button
        kind="secondary"
        icon={ChevronLeft}
        iconOnly
        label={texts.monthBefore}
        onClick={() => goTo(-1)}
      />
      <Button
        kind="secondary"
        icon={ChevronRight}
        iconOnly
        label={texts.monthAfter}
        off={isRunning ? texts.isLast : null}
        onClick={() => goTo(1)}
      />
    </div>
  );
}

type FiguresProps = { readonly invoice: Invoice | null; readonly isRunning: boolean };

function Figures({ invoice, isRunning }: FiguresProps) {
  const texts = t().usage;
  const overview = useOverview().data.value;
  const cap = moneyCapOf(overview);
  const month = isRunning ? (overview?.month ?? null) : null;
  const soFar = Number(invoice?.totalMicro ?? 0);
  const atEnd = Number(month?.atEndMicro ?? soFar);
  const whole = Number(cap?.limit ?? Math.max(atEnd, 1));
  const alert = cap?.alertPercents?.find((one) => one < 100);
  const currency = invoice?.currency ?? 'USD';
  return (
    <div class="usage-sums">
      <Figure
        label={isRunning ? texts.soFar : texts.total}
        value={invoice && money(soFar, currency)}
        exact={exactMoney(soFar, currency)}
        isMain
      />
      {isRunning && (
        <Figure
          label={texts.headingFor}
          value={month && money(atEnd, month.currency)}
          exact={exactMoney(atEnd, currency)}
        />
      )}
      {isRunning && cap !== null && <Figure label={texts.cap} value={money(cap.limit, currency)} />}
      {isRunning && (
        <div class="usage-line">
          <div class="spread faint">
            <span>
              {cap === null
                ? texts.noAccountCap
                : texts.ofCap(percent(soFar / whole), percent(atEnd / whole))}
            </span>
            {may('caps:write') && (
              <button type="button" class="link" onClick={() => openSetCap(currency, cap)}>
                {cap === null ? texts.setCap : texts.changeCap}
              </button>
            )}
          </div>
          <LoadLine
            label={texts.soFar}
            now={soFar / whole}
            forecast={atEnd / whole}
            alert={alert === undefined ? undefined : alert / 100}
            hasLimit={cap !== null}
          />
        </div>
      )}
    </div>
  );
}

type FigureProps = {
  readonly label: string;
  readonly value: string | null;
  /** All its digits, as a tooltip. */
  readonly exact?: string;
  readonly isMain?: boolean;
};

function Figure({ label, value, exact, isMain = false }: FigureProps) {
  return (
    <div>
      <div class="faint">{label}</div>
      <div class={isMain ? 'figure' : 'figure dim'} title={exact}>
        {value ?? <Skeleton width={84} />}
      </div>
    </div>
  );
}
