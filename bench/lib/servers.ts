// The servers that a bench compares: ours, and what people put in front of a bucket today.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Server, startServer } from './child-server.ts';

export type { Server } from './child-server.ts';

export const ACCESS_KEY = 'benchaccesskey000001';
export const SECRET_KEY = 'benchsecretkey0000000000000000000000001';

/**
 * The Node platform with a data folder of its own. `settings` are environment variables.
 * `checkout`: a folder with another state of this repository, to compare with.
 */
export async function startQuayside(
  port: number,
  settings: Record<string, string> = {},
  checkout = fileURLToPath(new URL('../..', import.meta.url)),
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
  const main = join(checkout, 'src/node.ts');
  const env = {
    ...process.env,
    QUAYSIDE_PORT: `${port}`,
    QUAYSIDE_DATA_DIR: folder,
    QUAYSIDE_ROOT_ACCESS_KEY: ACCESS_KEY,
    QUAYSIDE_ROOT_SECRET_KEY: SECRET_KEY,
    ...settings,
  };
  return startServer({
    command: [process.execPath, main],
    env,
    folder,
    port,
    readyPath: '/-/health',
  });
}

/**
 * nginx with one worker that serves the files of `root`: sendfile, open file cache, no access log.
 * Ranges of `rangedFile` go out without tcp_nopush: with it each of them waits 44 ms (measured
 * 2026-11); whole files are as fast or faster with it.
 */
export function startNginx(port: number, root: string, rangedFile: string): Promise<Server> {
  return startNginxWith(port, () => ({
    http: 'open_file_cache max=10000;',
    server:
      `root ${root}; default_type application/octet-stream; location = /${rangedFile} { ` +
      'tcp_nopush off; }',
  }));
}

/** nginx with one worker as a cache on disk in front of `origin`. */
export function startNginxCache(port: number, origin: Server): Promise<Server> {
  return startNginxWith(port, (folder) => ({
    http: `
  open_file_cache max=10000;
  proxy_cache_path ${folder}/cache levels=1:2 keys_zone=hot:10m max_size=2g inactive=1h;
  upstream origin { server ${new URL(origin.url).host}; keepalive 16; }`,
    server: `
    location / {
      proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_cache hot; proxy_cache_valid 200 1h; proxy_cache_lock on;
    }`,
  }));
}

type NginxParts = { readonly http: string; readonly server: string };

async function startNginxWith(
  port: number,
  partsIn: (folder: string) => NginxParts,
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-nginx-'));
  const parts = partsIn(folder);
  const config = `
worker_processes 1; daemon off; master_process off;
pid ${folder}/nginx.pid; error_log ${folder}/error.log warn;
events { worker_connections 2048; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; ${parts.http}
  server { listen 127.0.0.1:${port}; ${parts.server} }
}`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const command = [
    'nginx',
    '-p',
    folder,
    '-c',
    join(folder, 'nginx.conf'),
    '-e',
    join(folder, 'error.log'),
  ];
  return startServer({ command, folder, port });
}

/**
 * The least that a server on Node's own modules can do with the files of `root`: floor-server.ts.
 * It sends the headers of `example`, an answer of ours.
 */
export async function startFloor(
  port: number,
  kind: 'http' | 'net',
  { root, example }: { readonly root: string; readonly example: string },
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-floor-'));
  const { headers } = await fetch(example, { method: 'HEAD' });
  const main = fileURLToPath(new URL('../delivery/floor-server.ts', import.meta.url));
  const command = [process.execPath, main, kind, `${port}`, root, JSON.stringify([...headers])];
  return startServer({ command, folder, port });
}

/** Varnish with everything in memory, in front of `origin`. */
export async function startVarnish(port: number, origin: Server): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-varnish-'));
  const { hostname, port: originPort } = new URL(origin.url);
  const vcl = `vcl 4.1;
backend origin { .host = "${hostname}"; .port = "${originPort}"; }
sub vcl_backend_response { set beresp.ttl = 1h; }
`;
  await writeFile(join(folder, 'bench.vcl'), vcl);
  const listen = ['-a', `127.0.0.1:${port}`, '-T', 'none', '-n', join(folder, 'work')];
  const command = [
    'varnishd',
    '-j',
    'none',
    '-F',
    '-f',
    join(folder, 'bench.vcl'),
    '-s',
    'malloc,512m',
    ...listen,
  ];
  return startServer({ command, folder, port });
}
