// The lines of the bill, which add up to the total.
import type { Invoice } from 'quayside/client';
import { count, money } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Skeleton } from '../../ui/small.tsx';
import type { Line } from './shares.ts';

type Row = { readonly label: string; readonly quantity: string; readonly micro: number };

/** Less than this has three digits, not whole numbers. */
const WHOLE_FROM = 100;

function quantityOf({ units, unit }: Line): string {
  const number = Number(units);
  if (Math.abs(number) >= WHOLE_FROM) return `${count(number)} ${unit}`;
  const digits = new Intl.NumberFormat(document.documentElement.lang, {
    maximumSignificantDigits: 3,
  });
  return `${digits.format(number)} ${unit}`;
}

/** All that the total is made of: lines, the minimum, late usage, credits. */
function rowsOf(invoice: Invoice): readonly Row[] {
  const texts = t().usage;
  const lines = invoice.lines
    .filter(({ units, amountMicro }) => Number(units) !== 0 || Number(amountMicro) !== 0)
    .map((line) => ({
      label: line.label,
      quantity: quantityOf(line),
      micro: Number(line.amountMicro),
    }));
  const late = invoice.late.map(({ period, amountMicro }) => ({
    label: texts.late(period),
    quantity: '',
    micro: Number(amountMicro),
  }));
  const credits = invoice.credits.map(({ label, amountMicro }) => ({
    label,
    quantity: '',
    micro: Number(amountMicro),
  }));
  const named = [...lines, ...late, ...credits];
  const rest = Number(invoice.totalMicro) - named.reduce((sum, { micro }) => sum + micro, 0);
  return rest === 0 ? named : [...named, { label: texts.minimum, quantity: '', micro: rest }];
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
        {rowsOf(invoice).map(({ label, quantity, micro }) => (
          <tr key={label}>
            <td>{label}</td>
            <td class="wide-cell">{quantity}</td>
            <td>{money(micro, currency)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td>{texts.total}</td>
          <td class="wide-cell" />
          <td>{money(invoice.totalMicro, currency)}</td>
        </tr>
      </tfoot>
    </table>
  );
}
