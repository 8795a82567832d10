// The first visit of an account without buckets: a name, who may read, a file, and
// the link is copied. Then it offers to make a member of who holds the root key.
import { ArrowUpFromLine, Check, Copy, FolderOpen, UserPlus } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client, QuaysideError } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { presignedLink } from '../../api/presigned-link.ts';
import { invalidate } from '../../api/query.ts';
import { navigate, objectPath } from '../../app/router.ts';
import { me } from '../../app/session.ts';
import { endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { RadioField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { InlineError, LoadLine } from '../../ui/small.tsx';
import { isBucketName } from '../buckets/bucket-name.ts';
import { uploadClient } from '../upload/send/upload-client.ts';
import { EntryFrame } from './entry-frame.tsx';

type Readers = 'private' | 'public';
type Link = { readonly url: string; readonly endsAt: string | null; readonly isCopied: boolean };

export function FirstRun({ onSkip }: { readonly onSkip: () => void }) {
  const texts = t().signIn.first;
  const [name, setName] = useState('assets');
  const [readers, setReaders] = useState<Readers>('private');
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [link, setLink] = useState<Link | null>(null);
  const isMade = useRef(false);
  // Dots are allowed by S3, and break TLS of virtual hosts: a first bucket has none.
  const isValid = isBucketName(name) && !name.includes('.');

  useEffect(() => {
    document.title = `${texts.title} · Quayside`;
  }, []);

  async function begin(chosen: File | null): Promise<void> {
    if (!isValid || progress !== null) return;
    setError(null);
    setProgress(0);
    try {
      if (!isMade.current) await makeBucket(name, readers);
      isMade.current = true;
      invalidate('buckets');
      if (chosen === null) return navigate(objectPath(name, ''));
      await uploadClient.upload(name, chosen.name, chosen, {
        onProgress: ({ sentBytes }) => setProgress(sentBytes / Math.max(1, chosen.size)),
      });
      const made = await makeLink(name, chosen.name, readers);
      const isCopied = await copyText(made.url);
      setLink({ ...made, isCopied });
    } catch (cause) {
      setError(errorLine(cause));
    } finally {
      setProgress(null);
    }
  }

  function take(files: FileList | null | undefined): void {
    const [first] = files ?? [];
    if (first === undefined) return;
    setFile(first);
    void begin(first);
  }

  if (link !== null) return <FirstLink link={link} bucket={name} />;
  return (
    <EntryFrame isCover title={texts.title} lead={texts.lead} side={<Steps bucket={name} />}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void begin(file);
        }}
      >
        <TextField
          label={texts.name}
          aside={texts.nameRule}
          value={name}
          onInput={setName}
          mono
          autofocus
          error={isValid ? null : texts.nameInvalid}
          hint={isValid ? <Icon of={Check} small /> : null}
        />
        <RadioField
          legend={texts.who}
          name="readers"
          value={readers}
          onChange={setReaders}
          options={[
            { value: 'private', label: texts.private, hint: texts.privateHint },
            { value: 'public', label: texts.public, hint: texts.publicHint },
          ]}
        />
        <DropArea onFiles={take} />
        {progress !== null && <LoadLine label={texts.title} now={progress} />}
        {error !== null && <InlineError text={error} />}
        <Button
          type="submit"
          kind="primary"
          big
          isBusy={progress !== null}
          label={file === null ? texts.create : texts.createAndUpload(file.name)}
        />
        <Button label={texts.skip} onClick={onSkip} />
      </form>
    </EntryFrame>
  );
}

async function makeBucket(name: string, readers: Readers): Promise<void> {
  try {
    await client.buckets.create({ body: { name } });
  } catch (cause) {
    // A second try after a failed upload finds the bucket of the first.
    const isOwn = cause instanceof QuaysideError && cause.code === 'BucketAlreadyOwnedByYou';
    if (!isOwn) throw cause;
  }
  if (readers === 'public') {
    await client.request('PUT /buckets/{bucket}/public-access', {
      path: { bucket: name },
      body: { prefix: '', what: 'read' },
      ifMatch: '*',
    });
  }
}

async function makeLink(
  bucket: string,
  key: string,
  readers: Readers,
): Promise<Omit<Link, 'isCopied'>> {
  if (readers === 'public') {
    const path = key.split('/').map(encodeURIComponent).join('/');
    return { url: `${location.origin}/${bucket}/${path}`, endsAt: null };
  }
  return presignedLink(bucket, key);
}

function DropArea({ onFiles }: { readonly onFiles: (files: FileList | null | undefined) => void }) {
  const texts = t().signIn.first;
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const [before = '', after = ''] = texts.orChoose('\n').split('\n');
  return (
    <div
      class={isOver ? 'drop is-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles(event.dataTransfer?.files);
      }}
    >
      <Icon of={ArrowUpFromLine} />
      <b>{texts.drop}</b>
      {before}
      <button type="button" class="link" onClick={() => input.current?.click()}>
        {texts.choose}
      </button>
      {after}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={texts.choose}
        onChange={(event) => onFiles(event.currentTarget.files)}
      />
    </div>
  );
}

function Steps({ bucket }: { readonly bucket: string }) {
  const texts = t().signIn.first;
  return (
    <>
      <ol class="entry-steps">
        {texts.steps.map(({ title, text }) => (
          <li key={title}>
            <div>
              <b>{title}</b>
              <span>{text}</span>
            </div>
          </li>
        ))}
      </ol>
      <pre class="code deep" tabIndex={0}>
        <span class="c">{texts.shell}</span>
        {'\ncurl -T logo.svg --aws-sigv4 aws:amz:auto:s3 \\\n'}
        {'  -H x-amz-content-sha256:UNSIGNED-PAYLOAD \\\n'}
        {`  -u "$ID:$SECRET" ${location.origin}/`}
        <span class="v">{bucket}</span>
        {'/logo.svg'}
      </pre>
    </>
  );
}

function FirstLink({ link, bucket }: { readonly link: Link; readonly bucket: string }) {
  const texts = t().signIn.first;
  const isMember = me.value?.memberId !== null;
  const lead = link.isCopied ? texts.doneLead : texts.doneLeadByHand;
  return (
    <EntryFrame isCover title={texts.done} lead={lead} side={<Steps bucket={bucket} />}>
      <TextField
        label={texts.link}
        value={link.url}
        onInput={() => {}}
        readonly
        mono
        hint={link.endsAt === null ? texts.linkPublic : texts.linkEnds(endTime(link.endsAt))}
      />
      <div class="entry-actions">
        <Button
          kind="primary"
          icon={Copy}
          label={t().shell.copy}
          onClick={() => void copyText(link.url)}
        />
        <Button
          kind="secondary"
          icon={FolderOpen}
          label={texts.openBucket}
          onClick={() => {
            invalidate('overview');
            navigate(objectPath(bucket, ''));
          }}
        />
      </div>
      {!isMember && (
        <div class="entry-next">
          <p class="dim">{texts.memberLead}</p>
          <Button
            kind="secondary"
            icon={UserPlus}
            label={texts.member}
            onClick={() => navigate('/settings#dialog=member')}
          />
        </div>
      )}
    </EntryFrame>
  );
}
