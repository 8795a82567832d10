// The trash of all buckets.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Trash() {
  return (
    <TopBar>
      <Title>{t().shell.trash}</Title>
    </TopBar>
  );
}
