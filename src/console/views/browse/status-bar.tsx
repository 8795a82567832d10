// The line below the list: objects, bytes and money of the place; at the right those of
// what is selected.
import { bytes, count, smallMoney } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { sumOf } from './selection-sum.ts';
import type { FolderModel } from './use-folder.ts';

export function StatusBar({ folder }: { readonly folder: FolderModel }) {
  const { sums, selection, list, source, search } = folder;
  void list.version.value;
  void folder.sizes.version.value;
  const texts = t().browse;
  const rows = source.count();
  const hasSelection = selection.isAll.value || selection.count.value > 0;
  return (
    <footer class="status-bar">
      {sums !== null && search === null ? (
        <>
          <span>{t().units.objects(sums.objects, count(sums.objects))}</span>
          <span class="sep">·</span>
          <span>{bytes(sums.bytes)}</span>
          <span class="sep opt">·</span>
          <span class="opt">
            {texts.aMonthHere(
              priceOf(Number(sums.savedPerMonthMicro), Number(sums.bytes), sums.currency),
            )}
          </span>
        </>
      ) : (
        search === null &&
        rows > 0 && (
          <span>
            {source.isExact() ? texts.rows(rows, count(rows)) : texts.rowsSoFar(count(rows))}
          </span>
        )
      )}
      <span class="gap" />
      {hasSelection ? <SelectionSum folder={folder} /> : <BucketWords folder={folder} />}
    </footer>
  );
}

/** A price a month; what takes space is never said to cost nothing. */
const priceOf = (micro: number, sizeBytes: number, currency: string): string =>
  smallMoney(sizeBytes > 0 ? Math.max(1, Math.round(micro)) : 0, currency);

/** Who reads the bucket and whether it keeps versions: `Private, versions on`. */
function BucketWords({ folder: { publicAccess, versioning } }: { readonly folder: FolderModel }) {
  const texts = t().browse;
  if (publicAccess === null || versioning === null) return null;
  return (
    <span class="opt">
      {texts.access[publicAccess]}
      {texts.comma}
      {texts.versioning[versioning]}
    </span>
  );
}

function SelectionSum({ folder }: { readonly folder: FolderModel }) {
  const { sums, selection } = folder;
  const sum = selection.isAll.value
    ? { bytes: Number(sums?.bytes ?? 0), isKnown: sums !== null }
    : sumOf(selection.selection().rows);
  if (!sum.isKnown) return <span class="opt">{t().browse.selectedUncounted}</span>;
  const total = Number(sums?.bytes ?? 0);
  const money =
    sums === null || total === 0
      ? null
      : priceOf((Number(sums.savedPerMonthMicro) * sum.bytes) / total, sum.bytes, sums.currency);
  return (
    <span class="opt">
      {t().browse.selectedSum} <b class="medium">{bytes(sum.bytes)}</b>
      {money !== null && `${t().browse.comma}${t().units.aMonth(money)}`}
    </span>
  );
}
