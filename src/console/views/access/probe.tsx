// "Why was this slow, or a miss?": asks for the first byte of an object, as strangers
// do or by a presigned URL, and says what the response's headers mean.
import { RotateCw } from 'lucide';
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Segments } from '../../ui/segments.tsx';
import { PlainWords, Skeleton } from '../../ui/small.tsx';
import { type ProbeFacts, probeWords } from './probe-words.ts';

const METHODS = ['GET', 'HEAD'] as const;
type Method = (typeof METHODS)[number];

/** Life of the URL that asks for what is not public, seconds. */
const URL_SECONDS = 60;
const SHOWN_HEADERS = [
  'cache-status',
  'server-timing',
  'age',
  'cache-control',
  'etag',
  'x-amz-request-id',
] as const;

type Probed = { readonly facts: ProbeFacts; readonly isPublic: boolean; readonly lines: string };

type ProbeProps = {
  readonly bucket: string;
  readonly objectKey: string;
  readonly onClose: () => void;
};

/** The address that is requested, and whether strangers could request it. */
async function addressOf(bucket: string, key: string, method: Method, signal: AbortSignal) {
  const object = await client.request('GET /buckets/{bucket}/object', {
    path: { bucket },
    query: { key },
    signal,
  });
  const isPublic = object.everyoneMayRead === 'yes';
  if (isPublic && object.publicUrl !== null) return { url: object.publicUrl, isPublic };
  const operation = method === 'GET' ? ('get' as const) : ('head' as const);
  const { items } = await client.objects.presign(bucket, {
    body: { requests: [{ operation, key }], expiresSeconds: URL_SECONDS },
    signal,
  });
  return { url: items[0]?.url ?? '', isPublic: false };
}

async function probe(bucket: string, key: string, method: Method, signal: AbortSignal) {
  const { url, isPublic } = await addressOf(bucket, key, method, signal);
  const startedMs = performance.now();
  const response = await fetch(url, {
    method,
    credentials: 'omit',
    // The browser's own cache would answer in the server's place.
    cache: 'no-store',
    signal,
    ...(method === 'GET' ? { headers: { range: 'bytes=0-0' } } : {}),
  });
  const tookMs = performance.now() - startedMs;
  await response.body?.cancel();
  const of = (name: string) => response.headers.get(name);
  const lines = SHOWN_HEADERS.flatMap((name) => {
    const value = of(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  const facts: ProbeFacts = {
    status: response.status,
    cacheStatus: of('cache-status'),
    serverTiming: of('server-timing'),
    age: of('age'),
    cacheControl: of('cache-control'),
    contentRange: of('content-range'),
    tookMs,
  };
  return { facts, isPublic, lines: lines.join('\n') };
}

export default function Probe({ bucket, objectKey, onClose }: ProbeProps) {
  const texts = t().access.probed;
  const [method, setMethod] = useState<Method>('GET');
  const query = useQuery<Probed>(`probe ${bucket} ${method} ${objectKey}`, (signal) =>
    probe(bucket, objectKey, method, signal),
  );
  const probed = query.data.value;
  const error = query.error.value;
  return (
    <Dialog
      title={texts.title(objectKey)}
      width={600}
      onClose={onClose}
      onSubmit={query.reload}
      actions={
        <>
          <Button kind="secondary" label={t().shell.close} onClick={onClose} />
          <Button
            kind="primary"
            icon={RotateCw}
            type="submit"
            isBusy={query.isLoading.value}
            label={texts.again}
          />
        </>
      }
    >
      <Segments
        label={texts.method}
        value={method}
        options={METHODS.map((value) => ({ value, label: texts.methods[value] }))}
        onChange={setMethod}
      />
      {probed === null && error !== null && <Failure error={error} onRetry={query.reload} />}
      {probed === null && error === null && <Skeleton width={260} />}
      {probed !== null && <Result probed={probed} />}
    </Dialog>
  );
}

function Result({ probed }: { readonly probed: Probed }) {
  const texts = t().access.probed;
  const [verdict, ...rest] = probeWords(probed.facts);
  return (
    <div role="status" class="probe">
      <PlainWords>
        <b>{verdict}</b>
      </PlainWords>
      <ul class="rules">
        {rest.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        <li class="faint">{probed.isPublic ? texts.asStranger : texts.asPresigned}</li>
      </ul>
      <pre class="code" tabIndex={0}>
        {probed.lines}
      </pre>
    </div>
  );
}
