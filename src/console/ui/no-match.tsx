// A list whose filter matches nothing, and the way back.
import { ListFilter } from 'lucide';
import { t } from '../i18n/i18n.ts';
import { Button } from './button.tsx';
import { Empty } from './small.tsx';

export function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <Empty
      icon={ListFilter}
      title={t().shell.nothingMatches}
      action={<Button kind="secondary" label={t().browse.clearFilter} onClick={onClear} />}
    />
  );
}
