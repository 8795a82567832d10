// Says to the operator, above every view, in whose account they are or whose bucket they
// look at, and leads back.
import { Eye } from 'lucide';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { navigate, path, readObjectPath } from '../../app/router.ts';
import { me } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Account, goToAccount, isAway } from './account.ts';

/** Whose bucket is shown, where it is not of the account that is worked in. */
async function readOwner(bucket: string, ownId: string): Promise<{ owner: Account | null }> {
  const { accountId } = await client.buckets.get(bucket);
  if (accountId === ownId) return { owner: null };
  const { id, displayName } = await client.request('GET /accounts/{accountId}', {
    path: { accountId },
  });
  return { owner: { id, displayName } };
}

export default function AccountBanner() {
  const texts = t().settings;
  const account = me.value?.account ?? { id: '', displayName: '' };
  const { bucket } = path.value.startsWith('/b/') ? readObjectPath() : { bucket: '' };
  const bucketOwner = useQuery(bucket === '' ? null : `owner ${bucket} ${account.id}`, () =>
    readOwner(bucket, account.id),
  );
  const owner = bucketOwner.data.value?.owner ?? null;
  if (owner === null && !isAway(account)) return null;

  const name = (owner ?? account).displayName || (owner ?? account).id;
  return (
    <div class="banner account-banner" role="status">
      <Icon of={Eye} />
      <span class="grow">{owner === null ? texts.youAreIn(name) : texts.bucketOf(name)}</span>
      {owner !== null && (
        <Button kind="secondary" label={texts.workHere} onClick={() => goToAccount(owner)} />
      )}
      {isAway(account) ? (
        <Button kind="secondary" label={texts.leaveAccount} onClick={() => goToAccount(null)} />
      ) : (
        <Button kind="secondary" label={texts.leaveBucket} onClick={() => navigate('/buckets')} />
      )}
    </div>
  );
}
