// Settings: members, sessions, looks.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function Settings() {
  return (
    <TopBar>
      <Title>{t().shell.settings}</Title>
    </TopBar>
  );
}
