// A server on Node for tests and pictures of the console: empty with the key of its data folder, or
// filled as a small studio would have it, through the SDK alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '../../../src/client/index.ts';
import { type DemoFile, otherFiles, regattaFiles } from './demo-files.ts';
import { createDrop, createLink, sendFiles } from './link-calls.ts';
import { IS_WORKERS, startServer, type WireServer } from './server.ts';

export type ConsoleInstance = {
  readonly url: string;
  readonly keys: { readonly accessKey: string; readonly secretKey: string };
  readonly client: Client;
  readonly server: WireServer;
};

/** Where the pictures of the regatta are. */
export const REGATTA = 'photos/2026-regatta/';

/**
 * An instance that nobody has used yet. Its root key is the one of root-key.json on Node, which
 * makes its own; a Worker's is a secret that its operator set.
 */
export async function startFreshInstance(): Promise<ConsoleInstance> {
  if (IS_WORKERS) {
    const worker = await startServer();
    return instanceOf(worker, worker.target);
  }
  const server = await startServer({
    env: { QUAYSIDE_ROOT_ACCESS_KEY: undefined, QUAYSIDE_ROOT_SECRET_KEY: undefined },
  });
  const path = join(server.folder, 'data', 'root-key.json');
  const { accessKey, secretKey } = JSON.parse(readFileSync(path, 'utf8'));
  return instanceOf(server, { accessKey, secretKey });
}

/** An instance with buckets, files, open folders, versions, keys, a cap and jobs that are done. */
export async function startDemoInstance(): Promise<ConsoleInstance> {
  const server = await startServer();
  const instance = instanceOf(server, server.target);
  try {
    await fillInstance(instance.client);
    return instance;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function instanceOf(
  server: WireServer,
  { accessKey, secretKey }: Pick<WireServer['target'], 'accessKey' | 'secretKey'>,
): ConsoleInstance {
  const { url } = server.target;
  const client = createClient({ endpoint: url, accessKey: { id: accessKey, secret: secretKey } });
  return { url, keys: { accessKey, secretKey }, client, server };
}

/** Fills an account that has nothing yet. */
export async function fillInstance(client: Client): Promise<void> {
  const others = otherFiles();
  for (const name of ['assets', 'fonts', ...Object.keys(others)]) {
    await client.buckets.create({ body: { name } });
  }
  for (const name of ['assets', 'backups-db', 'client-deliveries', 'press-kit']) {
    await client.buckets.update(name, { body: { versioning: 'enabled' }, ifMatch: '*' });
  }
  const regatta = await regattaFiles();
  await sendAll(
    client,
    'assets',
    regatta.map(({ key, ...rest }) => ({ ...rest, key: REGATTA + key })),
  );
  for (const [bucket, files] of Object.entries(others)) await sendAll(client, bucket, files);
  await makeVersions(client, regatta);
  await openToStrangers(client);
  await makeKeys(client);
  await makeLinks(client);
  await runJobs(client);
  await client.caps.put('month', {
    body: { unit: 'money', limit: '25000000', period: 'month', alertPercents: [80, 100] },
  });
}

async function sendAll(client: Client, bucket: string, files: readonly DemoFile[]): Promise<void> {
  for (const { key, contentType, bytes } of files) {
    await client.upload(bucket, key, bytes, { contentType });
  }
}

/** Two older versions of the crew list, and one of a picture that had another type. */
async function makeVersions(client: Client, files: readonly DemoFile[]): Promise<void> {
  const crew = files.find(({ key }) => key === 'crew-list.csv');
  const dawn = files.find(({ key }) => key === '10-harbour-dawn.jpg');
  if (crew === undefined || dawn === undefined) throw new Error('The demo lacks its files');
  const text = new TextDecoder().decode(crew.bytes);
  for (const body of [text.replace('Sable', 'Sable II'), text]) {
    await client.upload('assets', REGATTA + crew.key, body, { contentType: 'text/csv' });
  }
  await client.upload('assets', REGATTA + dawn.key, dawn.bytes, {
    contentType: 'image/jpeg',
    cacheControl: 'public, max-age=86400',
  });
}

async function openToStrangers(client: Client): Promise<void> {
  const open = (bucket: string, prefix: string) =>
    client.request('PUT /buckets/{bucket}/public-access', {
      path: { bucket: bucket },
      body: { prefix, what: 'read' },
      ifMatch: '*',
    });
  await open('assets', `${REGATTA}web/`);
  await open('assets', `${REGATTA}finish-line/`);
  await open('fonts', '');
  await open('website-production-www-harbourlight-example', '');
}

async function makeKeys(client: Client): Promise<void> {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await client.keys.create({ body: { name: 'old-ci', expiresAt: inDays(6) } });
  await client.keys.create({
    body: {
      name: 'web-deploy',
      expiresAt: inDays(200),
      scope: { buckets: ['website-production-*'], actions: ['s3:PutObject', 's3:DeleteObject'] },
    },
  });
}

/** A link to a folder, with limits and a recipient, and one that was revoked. */
async function makeLinks(client: Client): Promise<void> {
  const { id } = await createLink(client, 'assets', {
    target: { kind: 'folder', prefix: REGATTA },
    password: 'open sesame',
    limits: { downloads: 10 },
    note: 'for the crew',
  });
  await client.request('POST /buckets/{bucket}/share-links/{linkId}/labels', {
    path: { bucket: 'assets', linkId: id },
    body: { name: 'Ada' },
  });
  const over = await createLink(client, 'assets', {
    target: { kind: 'object', key: `${REGATTA}crew-list.csv` },
  });
  await client.request('PATCH /buckets/{bucket}/share-links/{linkId}', {
    path: { bucket: 'assets', linkId: over.id },
    body: { isRevoked: true },
    ifMatch: '*',
  });
  await makeDrops(client);
}

/** A link by which two have sent photos, some of which wait, and one that is off. */
async function makeDrops(client: Client): Promise<void> {
  const link = await createDrop(client, 'press-kit', {
    prefix: 'inbox/',
    quarantine: 'quarantine/2f81c6a0/',
    page: { title: 'Photos of Saturday', name: 'required', mail: 'optional', note: 'optional' },
    note: 'for the yearbook',
  });
  const ada = { name: 'Ada Byron', mail: 'ada@example.org', note: 'All from the committee boat.' };
  await sendFiles(link, ada, { 'start/1.txt': 'one', 'start/2.txt': 'two' });
  await client.request('POST /buckets/{bucket}/drop-links/{dropLinkId}/release', {
    path: { bucket: 'press-kit', dropLinkId: link.id },
  });
  await sendFiles(link, { name: 'Grace' }, { 'a long name of a photo from the beach.txt': 'x' });
  const over = await createDrop(client, 'press-kit', { prefix: '' });
  await client.request('PATCH /buckets/{bucket}/drop-links/{dropLinkId}', {
    path: { bucket: 'press-kit', dropLinkId: over.id },
    body: { isRevoked: true },
    ifMatch: '*',
  });
}

/** A copy, an edit, a move and a deletion, each to its end. */
async function runJobs(client: Client): Promise<void> {
  const run = async (bucket: string, body: Parameters<Client['jobs']['start']>[1]['body']) => {
    const { id } = await client.jobs.start(bucket, { body });
    for (;;) {
      const job = await client.jobs.get(bucket, id);
      if (job.state !== 'running') return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  await run('assets', { kind: 'copy', prefix: `${REGATTA}drone/`, to: 'archive/drone/' });
  const change = { cacheControl: 'public, max-age=31536000' };
  await run('assets', { kind: 'edit', prefix: `${REGATTA}web/`, change });
  await run('assets', { kind: 'move', prefix: 'archive/drone/', to: 'archive/2026/drone/' });
  await run('logs-edge', { kind: 'delete', prefix: '2026/11/22/00' });
}

/** How often a job is asked after, milliseconds. */
const POLL_MS = 50;
