// Sign-in.
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export default function SignIn() {
  return (
    <TopBar>
      <Title>{t().shell.account}</Title>
    </TopBar>
  );
}
