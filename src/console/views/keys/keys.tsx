// Access keys.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Keys() {
  return (
    <TopBar>
      <Title>{t().shell.keys}</Title>
    </TopBar>
  );
}
