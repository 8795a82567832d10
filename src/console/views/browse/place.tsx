// A folder or an object, as its address says.
import { lazy } from '../../app/lazy.tsx';
import { readObjectPath } from '../../app/router.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

const ObjectPage = lazy(() => import('../object/object.tsx'));

export default function Place() {
  const { key } = readObjectPath();
  if (key !== '' && !key.endsWith('/')) return <ObjectPage />;
  return (
    <TopBar>
      <Title>{t().shell.buckets}</Title>
    </TopBar>
  );
}
