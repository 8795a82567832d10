// What came by a drop link, by sender, the newest first: looked at, released from
// quarantine, deleted.
import { Copy, Ellipsis, FolderInput, Inbox as InboxIcon, RefreshCw, Trash2, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DropFile, DropLink, DropSender } from 'quayside/client';
import { errorLine } from '../../api/describe-error.ts';
import { useQuery } from '../../api/query.ts';
import { withPart } from '../../app/lazy.tsx';
import { href, objectPath } from '../../app/router.ts';
import { may } from '../../app/session.ts';
import { useEvery } from '../../app/visible.ts';
import { bytes, count, percent } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import type { MenuItem } from '../../ui/menu.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Bytes, Empty, Name, Time } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { followJob, runJob } from '../change/run-job.ts';
import { Section } from '../settings/section.tsx';
import { type Inbox as InboxRows, READ_MAX, readInbox, releaseDrop } from './drop-calls.ts';

/** Files that are shown at first, and by each step. */
const STEP = 200;
/** How soon files that are still coming are looked at again, milliseconds. */
const LOOK_MS = 5000;

type InboxProps = { readonly bucket: string; readonly link: DropLink };

export function Inbox({ bucket, link }: InboxProps) {
  const texts = t().links.drop;
  const inbox = useQuery(`links ${bucket} ${link.id} inbox`, (signal) =>
    readInbox(bucket, link.id, signal),
  );
  const rows = inbox.data.value;
  const isComing = rows?.files.some(({ state }) => state === 'coming') === true;
  useEvery(isComing ? LOOK_MS : null, inbox.reload, [inbox]);
  const { files, bytes: size, senders } = link.usage;
  return (
    <Section
      title={texts.inbox}
      lead={
        files === 0
          ? undefined
          : [
              texts.received(files, count(files)),
              bytes(size),
              texts.senders(senders, count(senders)),
            ].join(' · ')
      }
      action={<Button icon={RefreshCw} iconOnly label={texts.refresh} onClick={inbox.reload} />}
    >
      <Waiting of={inbox} width={320} />
      {rows !== null && rows.files.length === 0 && (
        <Empty icon={InboxIcon} title={texts.nothing}>
          {texts.nothingHint}
        </Empty>
      )}
      {rows !== null && rows.files.length > 0 && <Files bucket={bucket} link={link} rows={rows} />}
    </Section>
  );
}

type Chosen = ReadonlySet<string>;

function Files({ bucket, link, rows }: InboxProps & { readonly rows: InboxRows }) {
  const texts = t().links.drop;
  const [chosen, setChosen] = useState<Chosen>(new Set());
  const [shown, setShown] = useState(STEP);
  const [acts] = useState(() => actsOf(bucket));
  const groups = groupsOf(rows);
  const here = rows.files.filter(isHere);
  const selected = here.filter(({ id }) => chosen.has(id));
  const waiting = (selected.length > 0 ? selected : here).filter(isWaiting);
  const isPart = rows.files.length >= READ_MAX;
  let left = shown;
  return (
    <>
      <div class="inbox-bar">
        {selected.length > 0 && (
          <>
            <Button
              icon={X}
              iconOnly
              label={t().browse.clearSelection}
              onClick={() => setChosen(new Set())}
            />
            <span role="status">
              {t().browse.selected(selected.length, count(selected.length))}
            </span>
          </>
        )}
        {waiting.length > 0 && may('objects:write') && (
          <Button
            kind="primary"
            icon={FolderInput}
            label={selected.length > 0 ? texts.release : texts.releaseAll}
            onClick={() => acts.release(link, selected.length > 0 ? waiting : 'all')}
          />
        )}
        {selected.length > 0 && may('objects:write') && (
          <Button
            kind="red"
            icon={Trash2}
            label={t().browse.delete}
            onClick={() => acts.remove(selected)}
          />
        )}
      </div>
      {groups.map(({ sender, files }) => {
        const some = files.slice(0, Math.max(0, left));
        left -= files.length;
        return some.length === 0 ? null : (
          <Group
            key={sender?.id ?? ''}
            sender={sender}
            files={files}
            chosen={chosen}
            set={setChosen}
          >
            {some.map((file) => (
              <FileRow
                key={file.id}
                bucket={bucket}
                file={file}
                isChosen={chosen.has(file.id)}
                onChoose={() => setChosen(toggled(chosen, [file]))}
                menu={() => acts.menu(link, file)}
              />
            ))}
          </Group>
        );
      })}
      {rows.files.length > shown && (
        <Button kind="secondary" label={texts.moreFiles} onClick={() => setShown(shown + STEP)} />
      )}
      {isPart && <p class="dim">{texts.firstFiles(count(READ_MAX))}</p>}
    </>
  );
}

const isWaiting = ({ state }: DropFile): boolean => state === 'waiting';
const isHere = ({ state }: DropFile): boolean => state === 'waiting' || state === 'stored';

/** Chooses all of the files, or none of them where all are chosen. */
function toggled(chosen: Chosen, files: readonly DropFile[]): Chosen {
  const isAll = files.every(({ id }) => chosen.has(id));
  const next = new Set(chosen);
  for (const { id } of files) isAll ? next.delete(id) : next.add(id);
  return next;
}

type SenderFiles = { readonly sender: DropSender | null; readonly files: readonly DropFile[] };

/** The senders of files, the one that sent last first; so are the files of each. */
function groupsOf({ files, senders }: InboxRows): readonly SenderFiles[] {
  const byTime = files.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  const names = new Map(senders.map((sender) => [sender.id, sender]));
  const groups = new Map<string, DropFile[]>();
  for (const file of byTime) {
    const own = groups.get(file.senderId);
    if (own === undefined) groups.set(file.senderId, [file]);
    else own.push(file);
  }
  return [...groups].map(([id, own]) => ({ sender: names.get(id) ?? null, files: own }));
}

type GroupProps = SenderFiles & {
  readonly chosen: Chosen;
  readonly set: (chosen: Chosen) => void;
  readonly children: ComponentChildren;
};

function Group({ sender, files, chosen, set, children }: GroupProps) {
  const texts = t().links.drop;
  const name = sender?.name || texts.anonymous;
  const here = files.filter(isHere);
  return (
    <section class="inbox-sender" aria-label={name}>
      <h3>
        {here.length > 0 && (
          <Pick
            name={name}
            isOn={here.every(({ id }) => chosen.has(id))}
            onChange={() => set(toggled(chosen, here))}
          />
        )}
        <bdi>{name}</bdi>
        <span class="faint">{texts.received(files.length, count(files.length))}</span>
      </h3>
      {sender !== null && `${sender.mail}${sender.note}` !== '' && (
        <p class="inbox-note">
          {sender.mail !== '' && (
            <>
              <a href={`mailto:${encodeURIComponent(sender.mail)}`}>
                <bdi>{sender.mail}</bdi>
              </a>{' '}
            </>
          )}
          {sender.note}
        </p>
      )}
      <ul class="rows">{children}</ul>
    </section>
  );
}

type PickProps = {
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: () => void;
};

/** A box that chooses; its label makes it as large as a finger. */
function Pick({ name, isOn, onChange }: PickProps) {
  const label = t().links.drop.select(name);
  return (
    <label class="inbox-pick">
      <input type="checkbox" aria-label={label} checked={isOn} onChange={onChange} />
    </label>
  );
}

type RowProps = {
  readonly bucket: string;
  readonly file: DropFile;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly menu: () => readonly MenuItem[];
};

function FileRow({ bucket, file, isChosen, onChoose, menu }: RowProps) {
  const texts = t().links.drop;
  const { path, key, state, size, received, sha256, finishedAt, createdAt } = file;
  const menuName = t().browse.actionsFor(path);
  return (
    <li>
      {isHere(file) && <Pick name={path} isOn={isChosen} onChange={onChoose} />}
      <span class="two-lines grow">
        {isHere(file) ? (
          <a href={href(objectPath(bucket, key))} title={key}>
            <Name text={path} />
          </a>
        ) : (
          <Name text={path} />
        )}
        <span class="faint inbox-facts">
          <Bytes value={size} />
          <Time at={finishedAt ?? createdAt} />
          {sha256 !== null && (
            <span class="mono cut" title={`SHA-256 ${sha256}`}>
              {sha256}
            </span>
          )}
        </span>
      </span>
      <span class={STATE_LOOKS[state]}>
        {state === 'coming' ? percent(Number(received) / Math.max(1, Number(size))) : null}{' '}
        {texts.fileStates[state]}
      </span>
      <Button
        icon={Ellipsis}
        iconOnly
        label={menuName}
        off={sha256 === null ? texts.fileStates.coming : null}
        onClick={(event) => openMenu(event, menuName, menu())}
      />
    </li>
  );
}

const STATE_LOOKS = {
  coming: 'tag',
  waiting: 'tag open',
  stored: 'tag ok',
  gone: 'tag bad',
} as const;

/** What can be done with files of a bucket. */
function actsOf(bucket: string) {
  /** Moves files to where they belong; a move can be taken back from its toast. */
  const release = (
    { id, prefix: to, quarantine }: DropLink,
    files: readonly DropFile[] | 'all',
  ): void => {
    if (quarantine === null) return;
    const start = async () => {
      if (files === 'all') return followJob(bucket, (await releaseDrop(bucket, id)).jobId);
      const keys = files.map(({ key }) => key);
      const task = { kind: 'move', prefix: quarantine, to, conflict: 'keep-both', keys } as const;
      return runJob(bucket, task);
    };
    start().catch((error: unknown) => showToast({ text: errorLine(error) }));
  };
  const remove = (files: readonly DropFile[]): void => {
    const rows = files.map(({ key, size }) => ({
      key,
      isFolder: false,
      bytes: Number(size),
      objects: 1,
    }));
    withPart(
      () => import('../change/open-change.tsx'),
      (part) => part.openChange('delete', { bucket, prefix: '', rows, isAll: false }),
    );
  };
  const menu = (link: DropLink, file: DropFile): readonly MenuItem[] => {
    const texts = t().links;
    const { sha256 } = file;
    const copy =
      sha256 === null
        ? []
        : [{ label: texts.drop.copySha, icon: Copy, run: () => void copyText(sha256) }];
    if (!isHere(file) || !may('objects:write')) return copy;
    return [
      ...copy,
      ...(isWaiting(file)
        ? [{ label: texts.drop.release, icon: FolderInput, run: () => release(link, [file]) }]
        : []),
      'rule',
      { label: t().browse.delete, icon: Trash2, isDanger: true, run: () => remove([file]) },
    ];
  };
  return { release, remove, menu };
}
