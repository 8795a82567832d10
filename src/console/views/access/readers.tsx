// "Who can read this": one sentence for each who may, with the line that gives it;
// who may not is counted. For the inspector and for a bucket's settings.
import { Globe, Link, ListChecks, Lock, Timer } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { AccessEntry, AccessReason } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { lazy } from '../../app/lazy.tsx';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Skeleton } from '../../ui/small.tsx';
import { makePrivate } from './make-private.ts';
import { reasonSentence, rightSentence } from './reader-words.ts';

const TestAccess = lazy(() => import('./test-access.tsx'));
const MakePublic = lazy(() => import('./make-public.tsx'));
const Presign = lazy(() => import('./presign.tsx'));
const Probe = lazy(() => import('./probe.tsx'));

export type ReadersProps = {
  readonly bucket: string;
  /** Key of the object; of a folder its prefix, '' of the whole bucket. */
  readonly objectKey: string;
  /** By default what ends with a slash, or is empty. */
  readonly isFolder?: boolean;
};

/** How long a selection must last before its readers are requested, milliseconds. */
const SETTLE_MS = 80;

/** The value once it has not changed for so long: walking with ↓ asks nothing. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function Readers(props: ReadersProps) {
  const { bucket, objectKey } = props;
  const isFolder = props.isFolder ?? (objectKey === '' || objectKey.endsWith('/'));
  const texts = t().access;
  const settled = useSettled(objectKey);
  const query = useQuery(`readers ${bucket} ${isFolder} ${settled}`, (signal) =>
    client.request('POST /buckets/{bucket}/access-checks', {
      path: { bucket },
      body: { ...(isFolder ? { prefix: settled } : { key: settled }), actions: ['read'] },
      signal,
    }),
  );
  const check = settled === objectKey ? query.data.value : null;
  if (check === null) {
    return query.error.value === null ? (
      <Skeleton width={200} />
    ) : (
      <Failure error={query.error.value} onRetry={query.reload} />
    );
  }
  const isOpen = check.items.some(isStrangers);
  return (
    <div class="access-readers">
      {!isOpen && <p class="access-reader">{texts.notEveryone}</p>}
      <ul>
        {check.items.filter(isShown).map((entry) => (
          <Reader key={JSON.stringify(entry.who)} entry={entry} isFolder={isFolder} />
        ))}
      </ul>
      {check.needs !== null && (
        <p class="warn">
          {check.needs.kind === 'customer-key' ? texts.needsCustomerKey : texts.needsKmsKey}
        </p>
      )}
      {check.hidden.length > 0 && <p class="faint">{texts.hidden}</p>}
      {!check.isComplete && <p class="faint">{texts.notAll}</p>}
      <Acts bucket={bucket} objectKey={objectKey} isFolder={isFolder} isOpen={isOpen} />
    </div>
  );
}

const isAllowed = ({ rights }: AccessEntry): boolean =>
  rights.some(({ allowed }) => allowed !== 'no');

/** Roles that nobody has, and accounts that may what everyone may, add nothing. */
function isShown(entry: AccessEntry, _: number, all: readonly AccessEntry[]): boolean {
  const { who, rights } = entry;
  if (!isAllowed(entry) || (who.kind === 'role' && who.members === 0)) return false;
  const strangers = all.find((one) => one.who.kind === 'strangers');
  return who.kind !== 'any-account' || JSON.stringify(strangers?.rights) !== JSON.stringify(rights);
}

const isStrangers = (entry: AccessEntry): boolean =>
  entry.who.kind === 'strangers' && isAllowed(entry);

type ReaderProps = { readonly entry: AccessEntry; readonly isFolder: boolean };

function Reader({ entry, isFolder }: ReaderProps) {
  const [right] = entry.rights;
  if (right === undefined) return null;
  const isOpen = entry.who.kind === 'strangers';
  return (
    <li class={isOpen ? 'access-reader is-open' : 'access-reader'}>
      <span>{rightSentence(entry, right, isFolder)}</span>
      <Why reason={right.because} />
      {right.except !== null && <Why reason={right.except.because} isRest />}
    </li>
  );
}

type WhyProps = {
  readonly reason: AccessReason;
  /** Whether the reason is for the rest of a prefix of which a part may be read. */
  readonly isRest?: boolean;
};

/** The line that decides, folded away behind its sentence where it has a text. */
export function Why({ reason, isRest = false }: WhyProps) {
  const words = reasonSentence(reason);
  const sentence = isRest ? t().access.rest(words) : words;
  if (reason.source !== 'bucket-policy' || reason.text === null) {
    return <span class="faint">{sentence}</span>;
  }
  return (
    <details class="faint">
      <summary>{sentence}</summary>
      <pre class="code" tabIndex={0}>
        {pretty(reason.text)}
      </pre>
    </details>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

type ActsProps = Required<ReadersProps> & { readonly isOpen: boolean };

function Acts({ bucket, objectKey, isFolder, isOpen }: ActsProps) {
  const texts = t().access;
  const place = { bucket, objectKey };
  const canOpen = may('buckets:write') && isFolder;
  return (
    <div class="reader-acts">
      <Button
        kind="secondary"
        icon={ListChecks}
        label={texts.test}
        onClick={() =>
          openDialog((close) => <TestAccess {...place} isFolder={isFolder} onClose={close} />)
        }
      />
      {canOpen && !isOpen && (
        <Button
          kind="secondary"
          icon={Globe}
          label={texts.makePublic}
          onClick={() =>
            openDialog((close) => <MakePublic bucket={bucket} prefix={objectKey} onClose={close} />)
          }
        />
      )}
      {canOpen && isOpen && (
        <Button
          kind="secondary"
          icon={Lock}
          label={texts.makePrivate}
          onClick={() => void makePrivate(bucket, objectKey)}
        />
      )}
      {!isFolder && (
        <>
          <Button
            kind="secondary"
            icon={Link}
            label={texts.presign}
            onClick={() => openDialog((close) => <Presign {...place} onClose={close} />)}
          />
          <Button
            kind="secondary"
            icon={Timer}
            label={texts.probe}
            onClick={() => openDialog((close) => <Probe {...place} onClose={close} />)}
          />
        </>
      )}
    </div>
  );
}
