// One bucket: its overview and settings.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function BucketPage() {
  return (
    <TopBar>
      <Title>{t().shell.buckets}</Title>
    </TopBar>
  );
}
