// The whole app over a core in memory, with a drop link or a share link in a bucket.
import { createApp } from '../../../../src/app.ts';
import { parseConfig } from '../../../../src/config.ts';
import { createDropLink } from '../../../../src/core/links/drop/drop-links.ts';
import { makeShare } from '../../../../src/core/links/share/change-share.ts';
import type { BucketHandle } from '../../../../src/core/opened-bucket/bucket-handle.ts';
import type { DropLink, DropSettings } from '../../../../src/domain/links/drop-link.ts';
import type { ShareLink } from '../../../../src/domain/links/share-links.ts';
import { createMemoryCore, type MemoryCore, openTestBucket } from '../../../core/memory-core.ts';
import { DROP_SETTINGS } from '../../../index/kit/use-drop-links.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';

export type Sent = {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The address that it comes from; nobody knows by default. */
  readonly from?: string;
};

export type LinkApp = {
  readonly core: MemoryCore;
  readonly bucket: BucketHandle;
  ask(sent: Sent): Promise<Response>;
};

/** Makes the app, with one bucket; `settings` by their environment variables. */
export async function createLinkApp(
  settings: Readonly<Record<string, string>> = {},
): Promise<LinkApp> {
  const core = createMemoryCore();
  const environment = {
    QUAYSIDE_ROOT_ACCESS_KEY: 'root-key',
    QUAYSIDE_ROOT_SECRET_KEY: 'root-secret',
    ...settings,
  };
  const app = createApp(core.ports, parseConfig(environment, 'node'), () =>
    makeRequest({ target: '/' }),
  );
  const bucket = await openTestBucket(core);
  return {
    core,
    bucket,
    async ask({ method = 'GET', target, headers, body, from }) {
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      const request = makeRequest({
        method,
        target,
        headers: { host: 'files.test', ...headers },
        body: bytes === undefined ? [] : [bytes],
      });
      return app.fastPath.answerFully({ ...request, remoteAddress: from ?? null });
    },
  };
}

/** Who changes links in tests: neither a member nor a key. */
const nobody = { memberId: null, accessKeyId: null };

/** Makes a share link there; by default of all that is below `a/`. */
export function addShare(
  { core, bucket }: LinkApp,
  input: Partial<Parameters<typeof makeShare>[2]> = {},
): Promise<ShareLink> {
  const settings = {
    target: { kind: 'folder', prefix: 'a/' },
    notBeforeMs: null,
    expiresAtMs: null,
    password: null,
    limits: { downloads: null, bytes: null, moneyMicro: null },
    audience: { addresses: null, countries: null },
    page: { title: null, text: null, logoKey: null, colour: null, mode: 'preview', fileName: null },
    note: '',
    cutsRunning: false,
    ...input,
  } as const;
  return makeShare(core, bucket, settings, nobody);
}

/** Makes a drop link there. */
export async function addDrop(
  { core, bucket }: LinkApp,
  settings: Partial<DropSettings> = {},
): Promise<DropLink> {
  return (await createDropLink(core, bucket, { ...DROP_SETTINGS, ...settings }, nobody)).link;
}

/** Becomes a sender of a drop link; gives the headers of all further requests. */
export async function becomeSender(
  app: LinkApp,
  { id }: DropLink,
  from?: string,
): Promise<Record<string, string>> {
  const reply = await app.ask({
    method: 'POST',
    target: `/-/d/${id}/senders`,
    body: '{}',
    ...(from === undefined ? {} : { from }),
  });
  const { code } = (await reply.json()) as { code: string };
  return { 'tus-resumable': '1.0.0', 'x-quayside-drop-code': code };
}
