// A folder or an object, as its address says.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Place() {
  return (
    <TopBar>
      <Title>{t().shell.buckets}</Title>
    </TopBar>
  );
}
