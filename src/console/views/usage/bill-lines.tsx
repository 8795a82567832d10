// The lines of the bill, which add up to the total.
import type { Invoice } from 'quayside/client';
import { exactMoney, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { billLabel, quantity } from '../../i18n/quantity.ts';
import { Skeleton } from '../../ui/small.tsx';

type Row = {
  readonly label: string;
  readonly quantity: string;
  /** The quantity as the rate card counts it. */
  readonly exact: string;
  readonly micro: number;
};

/** All that the total is made of: lines, the minimum, late usage, credits. */
function rowsOf(invoice: Invoice): readonly Row[] {
  const texts = t().usage;
  const lines = invoice.lines
    .filter(({ units, amountMicro }) => Number(units) !== 0 || Number(amountMicro) !== 0)
    .map((line) => ({
      label: billLabel(line.label, texts.labels),
      quantity: quantity(line.units, line.unit, texts),
      exact: `${line.units} ${billLabel(line.unit, texts.labels)}`,
      micro: Number(line.amountMicro),
    }));
  const late = invoice.late.map(({ period, amountMicro }) => ({
    label: texts.late(period),
    quantity: '',
    exact: '',
    micro: Number(amountMicro),
  }));
  const credits = invoice.credits.map(({ label, amountMicro }) => ({
    label,
    quantity: '',
    exact: '',
    micro: Number(amountMicro),
  }));
  const named = [...lines, ...late, ...credits];
  const rest = Number(invoice.totalMicro) - named.reduce((sum, { micro }) => sum + micro, 0);
  return rest === 0
    ? named
    : [...named, { label: texts.minimum, quantity: '', exact: '', micro: rest }];
}

export function BillLines({ invoice }: { readonly invoice: Invoice | null }) {
  const texts = t().usage;
  if (invoice === null) return <Skeleton width={280} />;
  const { currency } = invoice;
  return (
    <table class="bill">
      <caption class="visually-hidden">{texts.lines}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.line}</th>
          <th scope="col" class="wide-cell">
            {texts.quantity}
          </th>
          <th scope="col">{texts.amount}</th>
        </tr>
      </thead>
      <tbody>
        {rowsOf(invoice).map(({ label, quantity: text, exact, micro }) => (
          <tr key={label}>
            <td>{label}</td>
            <td class="wide-cell" title={exact}>
              {text}
            </td>
            <td title={exactMoney(micro, currency)}>{money(micro, currency)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td>{texts.total}</td>
          <td class="wide-cell" />
          <td title={exactMoney(invoice.totalMicro, currency)}>
            {money(invoice.totalMicro, currency)}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}
