// Requests of the view to the API, as curl or SDK lines to copy: the latest first.
import { Copy } from 'lucide';
import { useState } from 'preact/hooks';
import { type Call, calls } from '../../api/client.ts';
import type { Closing } from '../../app/global-commands.tsx';
import { clockText } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Segments } from '../../ui/segments.tsx';
import { PlainWords } from '../../ui/small.tsx';

type Form = 'curl' | 'sdk';

/** The prefix of the API's routes. */
const API = '/-/api/v1';

/** A text in single quotes, as a shell takes it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function asCurl({ method, path, body }: Call): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}-H "authorization: Bearer $QUAYSIDE_TOKEN"`,
    ...(body === null ? [] : [`-H content-type:application/json -d ${quoted(body)}`]),
    quoted(location.origin + path),
  ];
  return lines.join(' \\\n  ');
}

function asSdk({ method, path, body }: Call): string {
  const { pathname, searchParams } = new URL(path, location.origin);
  const parts = [
    ...(searchParams.size === 0
      ? []
      : [`query: ${JSON.stringify(Object.fromEntries(searchParams))}`]),
    ...(body === null ? [] : [`body: ${body}`]),
  ];
  const options = parts.length === 0 ? '' : `, { ${parts.join(', ')} }`;
  const route = JSON.stringify(`${method} ${decodeURI(pathname.slice(API.length))}`);
  return `await client.request(${route}${options});`;
}

export default function ApiCalls({ onClose }: Closing) {
  const texts = t().palette;
  const [form, setForm] = useState<Form>('curl');
  const [shown] = useState(calls.value.filter(({ path }) => path.startsWith(API)));
  const textOf = form === 'curl' ? asCurl : asSdk;
  return (
    <Dialog title={t().shell.asApiCall} width={720} onClose={onClose}>
      <Segments
        label={texts.form}
        value={form}
        options={[
          { value: 'curl', label: 'curl' },
          { value: 'sdk', label: 'SDK' },
        ]}
        onChange={setForm}
      />
      {shown.map((call) => (
        <div key={`${call.method} ${call.path}`} class="api-call">
          <div class="spread faint">
            <span>
              {call.method} · {clockText(call.atMs)}
            </span>
            <Button
              icon={Copy}
              iconOnly
              label={t().shell.copy}
              onClick={() => void copyText(textOf(call))}
            />
          </div>
          <pre class="code" tabIndex={0}>
            {textOf(call)}
          </pre>
        </div>
      ))}
      <PlainWords>{texts.callsHint}</PlainWords>
    </Dialog>
  );
}
