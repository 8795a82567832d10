// Starts the servers that a bench compares, each on CPU 0 and on loopback, and stops them by pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export type Server = {
  readonly url: string;
  /** Processes whose CPU time counts. */
  readonly pids: readonly number[];
  readonly folder: string;
  stop(): Promise<void>;
};

export const ACCESS_KEY = 'benchaccesskey000001';
export const SECRET_KEY = 'benchsecretkey0000000000000000000000001';

const START_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 10_000;

async function waitUntilUp(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server at ${url} exited with ${child.exitCode}.`);
    const isUp = await fetch(url).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (isUp) return;
    await delay(30);
  }
  throw new Error(`The server at ${url} did not come up.`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const isGone = await Promise.race([gone.then(() => true), delay(STOP_TIMEOUT_MS, false, { ref: false })]);
  if (!isGone) child.kill('SIGKILL');
  await gone;
}

function serverOf(child: ChildProcess, url: string, folder: string): Server {
  return {
    url,
    // taskset becomes the program, so this is the server's own pid.
    pids: [child.pid ?? 0],
    folder,
    async stop() {
      await stopChild(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The Node home with a data folder of its own. `settings` are environment variables. */
export async function startQuayside(port: number, settings: Record<string, string> = {}): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
  const main = fileURLToPath(new URL('../../src/node.ts', import.meta.url));
  const child = spawn('taskset', ['-c', '0', process.execPath, main], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      QUAYSIDE_PORT: `${port}`,
      QUAYSIDE_DATA_DIR: folder,
      QUAYSIDE_ROOT_ACCESS_KEY: ACCESS_KEY,
      QUAYSIDE_ROOT_SECRET_KEY: SECRET_KEY,
      ...settings,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp(`${url}/-/health`, child);
  return serverOf(child, url, folder);
}

/** nginx with one worker that serves the files of its folder: sendfile, open file cache, no access log. */
export async function startNginx(port: number, files: Readonly<Record<string, Uint8Array>>): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-nginx-'));
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const config = `
worker_processes 1; daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log warn;
events { worker_connections 2048; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; open_file_cache max=10000;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server { listen 127.0.0.1:${port}; root ${folder}; default_type application/octet-stream; }
}`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const args = ['-c', '0', 'nginx', '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
  const child = spawn('taskset', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilUp(`${url}/`, child);
  return serverOf(child, url, folder);
}
