// A new key with its secret, shown once: the two fields, what it can do, and what
// programs need to use it. Leaving without the secret asks.

import { CalendarDays, Check, Download, EyeOff, LoaderCircle, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { useBucketNames } from '../../api/bucket-names.ts';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { guardLeaving, navigate } from '../../app/router.ts';
import { server } from '../../app/session.ts';
import { useEvery } from '../../app/visible.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Note, PlainWords } from '../../ui/small.tsx';
import { KeyBar } from './key-bar.tsx';
import { type MadeKey, madeKey } from './made-key.ts';
import { type AccessKey, firstOf, type Line, linesOf } from './scope.ts';
import { Snippets } from './snippet-tabs.tsx';
import { type Connection, profileOf, type Snippet, snippetsOf } from './snippets.ts';

/** How often the page looks whether the key was used, milliseconds. */
const LOOK_EVERY_MS = 3000;
/** Stands for a bucket where the account has none yet. */
const NO_BUCKET = 'my-bucket';

export function KeyMade({ made }: { readonly made: MadeKey }) {
  const texts = t().keys;
  const buckets = useBuckets(made);
  const [chosen, setChosen] = useState<string | null>(null);
  const bucket = chosen ?? buckets[0] ?? NO_BUCKET;
  const snippets = snippetsOf(connectionOf(made, bucket));
  const stopGuard = useLeaveGuard();
  useEffect(() => {
    document.title = `${texts.ready(made.name)} · Quayside`;
  }, []);

  function leave(): void {
    stopGuard();
    madeKey.value = null;
    navigate('/keys', { replace: true });
  }

  return (
    <>
      <KeyBar title={made.name} />
      <div class="page">
        <div class="wrap">
          <div class="page-head">
            <h1 class="cut">{texts.ready(made.name)}</h1>
            <span class="gap" />
            <Button
              kind="secondary"
              icon={Download}
              label={texts.downloads}
              onClick={(event) => openMenu(event, texts.downloads, downloadMenu(snippets))}
            />
            <Button kind="primary" label={texts.kept} onClick={leave} />
          </div>
          <div class="key-made">
            <div>
              <Note icon={EyeOff}>{texts.once}</Note>
              <div class="secrets">
                <CopyField label={texts.id} value={made.id} />
                <CopyField label={texts.secret} value={made.secretAccessKey} />
              </div>
              <h2 class="section-title">{texts.scope}</h2>
              <CanList accessKey={made} />
            </div>
            <div>
              {buckets.length > 1 && (
                <SelectField
                  label={texts.bucket}
                  value={bucket}
                  options={buckets.map((value) => ({ value, label: value }))}
                  onChange={setChosen}
                />
              )}
              <Snippets snippets={snippets} marks={marksOf(made, bucket)}>
                <FirstRequest id={made.id} />
              </Snippets>
            </div>
          </div>
        </div>
      </div>
    </>
  );
}

const marksOf = ({ id, secretAccessKey }: MadeKey, bucket: string): readonly string[] => [
  id,
  secretAccessKey,
  server.value?.s3Endpoint ?? location.origin,
  bucket,
];

function connectionOf(made: MadeKey, bucket: string): Connection {
  const { scope, id, secretAccessKey, name } = made;
  return {
    endpoint: server.value?.s3Endpoint ?? location.origin,
    region: server.value?.region ?? 'auto',
    bucket,
    prefix: scope?.prefixes?.[0] ?? '',
    keyId: id,
    secret: secretAccessKey,
    profile: profileOf(name),
    first: firstOf(scope),
  };
}

/** Buckets that the key may use, by name. */
function useBuckets({ scope }: MadeKey): readonly string[] {
  const named = scope?.buckets?.filter((name) => !name.endsWith('*')) ?? null;
  const all = useBucketNames(named === null);
  return named ?? all;
}

/** Asks before the page is left by a link, by Back, or by closing. Returns its end. */
function useLeaveGuard(): () => void {
  const [guard] = useState(() => {
    let isKept = false;
    const stop = guardLeaving((to) => {
      if (isKept) return true;
      if (to !== null) {
        openDialog((close) => (
          <LeaveDialog
            onClose={close}
            onLeave={() => {
              isKept = true;
              close();
              madeKey.value = null;
              navigate(to);
            }}
          />
        ));
      }
      return false;
    });
    return () => {
      isKept = true;
      stop();
    };
  });
  useEffect(() => guard, []);
  return guard;
}

function LeaveDialog(props: { readonly onClose: () => void; readonly onLeave: () => void }) {
  const texts = t().keys;
  return (
    <Dialog
      title={texts.leaveTitle}
      width={500}
      onClose={props.onClose}
      actions={
        <>
          <Button kind="danger" label={texts.leave} onClick={props.onLeave} />
          <Button kind="primary" label={texts.stay} onClick={props.onClose} autofocus />
        </>
      }
    >
      <PlainWords tone="lose">{texts.leaveWords}</PlainWords>
    </Dialog>
  );
}

const LINE_ICONS = { may: Check, not: X, when: CalendarDays } as const;

/** What a key may do, one sentence a line. */
export function CanList(props: {
  readonly accessKey: Pick<AccessKey, 'scope' | 'role' | 'expiresAt'>;
}) {
  const lines: readonly Line[] = linesOf(props.accessKey);
  return (
    <ul class="can">
      {lines.map(({ kind, text }) => (
        <li key={text} class={kind}>
          <Icon of={LINE_ICONS[kind]} />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** Watches for the first request of the key, and says when it came. */
function FirstRequest({ id }: { readonly id: string }) {
  const texts = t().keys;
  const key = useQuery(`key ${id}`, (signal) => client.keys.get(id, { signal }));
  const isUsed = key.data.value !== null && key.data.value.lastUsedAt !== null;
  useEvery(isUsed ? null : LOOK_EVERY_MS, key.reload, [key]);
  return (
    <span class={isUsed ? 'first-request green' : 'first-request faint'} role="status">
      <Icon of={isUsed ? Check : LoaderCircle} small />
      {isUsed ? texts.arrived : texts.waiting}
    </span>
  );
}

/** Snippets that are files, under the names that programs look for. */
const DOWNLOADS: readonly { id: Snippet['id']; file: string }[] = [
  { id: 'env', file: '.env' },
  { id: 'aws', file: 'credentials' },
  { id: 'aws', file: 'config' },
  { id: 'rclone', file: 'rclone.conf' },
  { id: 'cyberduck', file: '.cyberduckprofile' },
];

function downloadMenu(snippets: readonly Snippet[]): readonly MenuItem[] {
  return DOWNLOADS.flatMap(({ id, file }) => {
    const files = snippets.find((snippet) => snippet.id === id)?.files ?? [];
    return files
      .filter(({ name }) => name.endsWith(file))
      .map(({ name, text }) => ({ label: name, icon: Download, run: () => save(name, text) }));
  });
}

/** Saves a text under the last part of its path. */
function save(path: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  link.download = path.slice(path.lastIndexOf('/') + 1);
  link.click();
  URL.revokeObjectURL(link.href);
}
