// The programs of examples/, as users run them, against whatever platform this runs on. What a page
// shows needs a browser (test/console/objects/example-page.test.ts); its server, its bundle and all
// that it sends are here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { servePage } from '../../../examples/browser-upload/server.ts';
import { syncFolder } from '../../../examples/folder-sync/sync-folder.ts';
import worker from '../../../examples/worker/worker.ts';
import { createClient, createUploadQueue } from '../../../src/client/index.ts';
import { bytesOf, MiB } from '../../client/client-server.ts';
import { temporaryFolder } from '../../node/kit/temporary-folder.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { target } = client;
const ACCESS_KEY = { id: target.accessKey, secret: target.secretKey };
const exampleAt = (path: string) =>
  fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url));
const FROM_SOURCES = new URL('../../client/from-sources.ts', import.meta.url).href;

async function runProgram(path: string, args: readonly string[], token: string) {
  const child = spawn(process.execPath, ['--import', FROM_SOURCES, exampleAt(path), ...args], {
    env: {
      ...process.env,
      QUAYSIDE_ENDPOINT: target.url,
      QUAYSIDE_TOKEN: token,
      QUAYSIDE_ACCESS_KEY: ACCESS_KEY.id,
      QUAYSIDE_SECRET_KEY: ACCESS_KEY.secret,
    },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => (output.stdout += text));
  child.stderr.on('data', (text) => (output.stderr += text));
  const [exitCode] = await once(child, 'close');
  return { exitCode, ...output };
}

describeCore('the programs of examples/', () => {
  let token = '';
  let made = 0;
  const byKey = createClient({ endpoint: target.url, accessKey: ACCESS_KEY });
  const byToken = () => createClient({ endpoint: target.url, token });
  const newBucket = async () => {
    const name = `examples-${Date.now()}-${++made}`;
    await byKey.buckets.create({ body: { name } });
    return name;
  };

  beforeAll(async () => {
    token = (await byKey.tokens.create({ body: { name: 'examples' } })).token;
  });

  it('the Node script sends a file, goes on with it, and prints a link', async () => {
    const bucket = await newBucket();
    const file = join(temporaryFolder(), 'film ü.mp4');
    const bytes = bytesOf(17 * MiB);
    await writeFile(file, bytes);
    const broken = createClient({
      endpoint: target.url,
      accessKey: ACCESS_KEY,
      fetch: async (url, init) =>
        url.includes('partNumber=2') ? new Response(null, { status: 403 }) : fetch(url, init),
    });
    const begun = broken.upload(bucket, 'film ü.mp4', bytes, {
      onUploadId: (uploadId) => void writeFile(`${file}.quayside-upload`, uploadId),
    });
    await expect(begun).rejects.toMatchObject({ status: 403 });
    const { exitCode, stdout, stderr } = await runProgram(
      'node-script/send-file.ts',
      [file, bucket],
      token,
    );
    expect([exitCode, stderr]).toEqual([0, '']);
    const linked = await (await fetch(stdout.trim())).bytes();
    expect(Buffer.compare(linked, bytes)).toBe(0);
    await expect(readFile(`${file}.quayside-upload`)).rejects.toThrow('ENOENT');
    const refused = await runProgram('node-script/send-file.ts', [file, 'no-such-bucket'], token);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('NoSuchBucket') });
  });

  it('the folder sync sends what is new or changed, and deletes what is gone', async () => {
    const bucket = await newBucket();
    const folder = temporaryFolder();
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    for (const name of ['one', 'a/two', 'a/b/three']) await writeFile(join(folder, name), name);
    const target = { bucket, prefix: 'site/' };
    const sync = (deletes = false) => syncFolder(byToken(), target, folder, deletes);
    expect((await sync()).sent).toEqual(['site/a/b/three', 'site/a/two', 'site/one']);
    expect(await sync(true)).toEqual({ sent: [], deleted: [] });
    await writeFile(join(folder, 'one'), 'changed');
    await utimes(join(folder, 'a/two'), new Date(), new Date(Date.now() + 60_000));
    await rm(join(folder, 'a', 'b'), { recursive: true });
    const { exitCode, stdout } = await runProgram(
      'folder-sync/sync-folder.ts',
      [folder, bucket, 'site/', '--delete'],
      token,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toBe('sent    site/a/two\nsent    site/one\ndeleted site/a/b/three\n');
  });

  it('the Worker keeps what is sent to it and gives it back', async () => {
    const env = {
      QUAYSIDE_ENDPOINT: target.url,
      QUAYSIDE_ACCESS_KEY: ACCESS_KEY.id,
      QUAYSIDE_SECRET_KEY: ACCESS_KEY.secret,
      QUAYSIDE_BUCKET: await newBucket(),
    };
    const send = (method: string, path: string, body?: string) =>
      worker.fetch(
        new Request(`https://worker.test/${path}`, {
          method,
          headers: { 'content-type': 'text/x-note' },
          ...(body === undefined ? {} : { body }),
        }),
        env,
      );
    expect((await send('PUT', 'a%20note', 'hello')).status).toBe(201);
    expect((await send('PUT', 'a%20note', 'again')).status).toBe(412);
    const got = await send('GET', 'a%20note');
    expect([got.headers.get('content-type'), await got.text()]).toEqual(['text/x-note', 'hello']);
    const missing = await send('GET', 'nothing');
    expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'NoSuchKey' }]);
    expect((await send('DELETE', 'a%20note')).status).toBe(405);
  });

  it('the React hook gives what the queue shows, and its verbs', async () => {
    const input = exampleAt('react-hook/use-upload-queue.ts');
    // A React that renders once: it takes the snapshot, and a listener that it wants to hear.
    const shim = `export const useSyncExternalStore = (subscribe, getSnapshot) => {
    subscribe(() => globalThis.reactRenders++);
    return getSnapshot();
  };`;
    const bundle = await rolldown({
      input,
      plugins: [
        {
          name: 'react',
          resolveId: (id) => (id === 'react' ? id : null),
          load: (id) => (id === 'react' ? shim : null),
        },
      ],
    });
    const { output } = await bundle.generate({ format: 'esm' });
    const url = `data:text/javascript,${encodeURIComponent(output[0].code)}`;
    const { useUploadQueue } = await import(/* @vite-ignore */ url);
    const seen = globalThis as { reactRenders?: number };
    seen.reactRenders = 0;
    onTestFinished(() => void delete seen.reactRenders);
    const queue = createUploadQueue({ client: byToken(), bucket: await newBucket() });
    const { add, items } = useUploadQueue(queue);
    expect(items).toEqual([]);
    add([new File(['a'], 'a.txt')]);
    await queue.settled();
    await expect.poll(() => seen.reactRenders ?? 0).toBeGreaterThan(0);
    expect(useUploadQueue(queue).items).toMatchObject([{ path: 'a.txt', state: 'done' }]);
  });

  it('the page’s server lets browsers send below its prefix, and do nothing else', async () => {
    const page = await servePage(target.url, token, 0);
    onTestFinished(page.end);
    const html = await (await fetch(page.url)).text();
    const code = await (await fetch(`${page.url}/page.js`)).text();
    expect([html, code]).toEqual([
      expect.stringContaining('/page.js'),
      expect.stringContaining('quayside-upload'),
    ]);
    expect(code).not.toContain(token);
    // What the page makes, with the session of a browser.
    const visitor = createClient({ endpoint: page.url });
    const large = bytesOf(5 * MiB + 1);
    await visitor.upload('uploads', 'in/small', 'text');
    const sent = await visitor.upload('uploads', 'in/large', large, { partSizeBytes: 5 * MiB });
    expect((await byToken().download('uploads', 'in/large')).etag).toBe(sent.etag);
    const refused = { status: 403 };
    await expect(visitor.upload('uploads', 'out/small', 'text')).rejects.toMatchObject(refused);
    await expect(visitor.download('uploads', 'in/small')).rejects.toMatchObject(refused);
    await expect(visitor.buckets.get('uploads')).rejects.toMatchObject(refused);
    await expect(visitor.uploads.list('uploads').next()).rejects.toMatchObject(refused);
    const preflight = await fetch(`${target.url}/uploads/in/a`, {
      method: 'OPTIONS',
      headers: {
        origin: page.url,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type,x-amz-checksum-sha256',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(page.url);
  });
});
