// Usage and bill: so far, what it comes to, and where it goes.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Usage() {
  return (
    <TopBar>
      <Title>{t().shell.usage}</Title>
    </TopBar>
  );
}
