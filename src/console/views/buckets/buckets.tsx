// All buckets: which is big, dear, open.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Buckets() {
  return (
    <TopBar>
      <Title>{t().shell.buckets}</Title>
    </TopBar>
  );
}
