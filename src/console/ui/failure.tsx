// What failed, in the place of what it would have shown: what, why, what next, with
// the request id; the rest of the page stays.
import { CircleAlert, RefreshCw, WifiOff } from 'lucide';
import { describeError } from '../api/describe-error.ts';
import { t } from '../i18n/i18n.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type FailureProps = { readonly error: unknown; readonly onRetry?: () => void };

export function Failure({ error, onRetry }: FailureProps) {
  const { what, next, requestId, docs, isOffline } = describeError(error);
  const texts = t().errors;
  return (
    <div class="empty failure" role="alert">
      <Icon of={isOffline ? WifiOff : CircleAlert} />
      <b>{what}</b>
      <span>{next}</span>
      {requestId !== null && (
        <p class="faint">
          {texts.request} <span class="mono">{requestId}</span>
          {docs !== null && (
            <>
              {' · '}
              <a href={docs} target="_blank" rel="noreferrer">
                {texts.readMore}
              </a>
            </>
          )}
        </p>
      )}
      {onRetry !== undefined && (
        <Button kind="secondary" icon={RefreshCw} label={t().shell.tryAgain} onClick={onRetry} />
      )}
    </div>
  );
}
