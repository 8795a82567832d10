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
  cpus = '0',
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
    cpus,
    scheme: settings.QUAYSIDE_TLS_CERT === undefined ? 'http' : 'https',
  });
}

/** nginx with so many workers that serve the files of `root`, on those CPUs. */
export function startNginxWorkers(
  port: number,
  root: string,
  shape: { readonly workers: number; readonly cpus: string },
): Promise<Server> {
  const parts = {
    http: 'open_file_cache max=10000;',
    server: `root ${root}; default_type application/octet-stream;`,
  };
  return startNginxWith(port, () => parts, false, shape);
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

/** nginx with one worker that serves the files of `root` over TLS, by HTTP/1.1 and HTTP/2. */
export function startNginxTls(
  port: number,
  root: string,
  { cert, key }: { readonly cert: string; readonly key: string },
): Promise<Server> {
  return startNginxWith(
    port,
    () => ({
      http: 'open_file_cache max=10000; ssl_session_cache shared:s:1m;',
      server:
        `root ${root}; default_type application/octet-stream; ssl_certificate ${cert}; ` +
        `ssl_certificate_key ${key}; ssl_protocols TLSv1.2 TLSv1.3;`,
    }),
    true,
  );
}

type NginxParts = { readonly http: string; readonly server: string };

async function startNginxWith(
  port: number,
  partsIn: (folder: string) => NginxParts,
  isTls = false,
  { workers, cpus }: { readonly workers: number; readonly cpus: string } = {
    workers: 1,
    cpus: '0',
  },
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-nginx-'));
  const parts = partsIn(folder);
  // Workers of a master that root started would be another user, who may read none of this.
  const user = workers > 1 && process.getuid?.() === 0 ? 'user root;' : '';
  const config = `
worker_processes ${workers}; daemon off; master_process ${workers > 1 ? 'on' : 'off'}; ${user}
pid ${folder}/nginx.pid; error_log ${folder}/error.log warn;
events { worker_connections 2048; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; ${parts.http}
  server { listen 127.0.0.1:${port}${isTls ? ' ssl http2' : ''}; ${parts.server} }
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
  return startServer({ command, folder, port, cpus, scheme: isTls ? 'https' : 'http' });
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
