// The threads that serve beside the first one: started when it listens, replaced when
// they die, ended before it. node.ts starts them. The first thread answers their calls
// by its own ports, so that of everything there is one.
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { type Config, ConfigError } from '../../../config.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { Log } from '../../../ports/system.ts';
import type { NodePorts } from '../node-ports.ts';
import type { RunningServer, SharedListening } from '../serve.ts';
import { HandedConnection } from '../server/handed-connection.ts';
import { RENEW_SIGNAL, type TlsSettings } from '../tls/open-tls.ts';
import { createSharedState, type SharedState } from './shared-state.ts';
import type { FirstThreadCalls, OtherThreadCalls, ThreadData } from './thread-calls.ts';
import { openThreadPeer, type ThreadPeer } from './thread-peer.ts';

/** Source files run as they are; the published package is JavaScript, in one folder. */
const THREAD_FILE = import.meta.url.endsWith('.ts')
  ? '../../../serving-thread.ts'
  : './serving-thread.js';
/** Wait before a thread that died is replaced, ms: one that can't start must not spin. */
const REPLACED_AFTER_MS = 200;

/** What the other threads need, known once the first one listens. */
type StartParts = {
  readonly dataDir: string;
  readonly log: Log;
  readonly platform: Pick<NodePorts, 'forThreads' | 'ports'>;
  readonly server: Pick<RunningServer, 'take' | 'url' | 'close'>;
  readonly tls: TlsSettings | null;
  /** Makes a worker; tests take it, to end it. */
  readonly makeWorker?: (data: ThreadData) => Worker;
};

/** The threads of a process, as its first one sees them. */
export type Threading = {
  /** The settings of each thread. */
  readonly config: Config;
  readonly shared: SharedState;
  /** How the first thread listens. */
  readonly listening: SharedListening;
  /** Starts the others; resolves when they listen, rejects when one can't. */
  start(parts: StartParts): Promise<Threads>;
};

export type Threads = {
  /** Closes the servers of all threads, and gives how many connections were cut. */
  close(limitMs: number): Promise<number>;
};

/**
 * Prepares the threads of a process. ConfigError where the system lets no threads share
 * a port; else what `listen` throws.
 */
export async function openThreading(ofProcess: Config): Promise<Threading> {
  const config = settingsOfThread(ofProcess);
  await requireOwnPort(config);
  const shared = createSharedState(config.threads);
  return {
    config,
    shared,
    listening: { reusePort: true, connectionCounts: shared.connections.ofThread(0) },
    start: (parts) => startThreads({ ...parts, config, shared }),
  };
}

type ThreadParts = StartParts & Pick<Threading, 'config' | 'shared'>;
type Thread = { readonly peer: ThreadPeer<OtherThreadCalls>; readonly ended: Promise<void> };

/**
 * The settings of one thread of several: what bounds the memory of the process is
 * divided among them.
 */
function settingsOfThread(config: Config): Config {
  const part = (whole: number) => Math.ceil(whole / config.threads);
  return {
    ...config,
    pointerMemoryMaxEntries: part(config.pointerMemoryMaxEntries),
    pointerMemoryMaxBytes: part(config.pointerMemoryMaxBytes),
    bodyMemoryMaxBytes: part(config.bodyMemoryMaxBytes),
    derivedMemoryMaxBytes: part(config.derivedMemoryMaxBytes),
  };
}

/**
 * Refuses a port that another program has: sockets that share a port would share it
 * with that program, too. ConfigError where the system lets no sockets share one.
 */
async function requireOwnPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  await listenOnce({ host, port });
  try {
    await listenOnce({ host, port: 0, reusePort: true });
  } catch (cause) {
    throw new ConfigError(
      'QUAYSIDE_THREADS must be 1 on this system: it lets no threads share a port ' +
        `(${String(cause)}).`,
    );
  }
}

function listenOnce(options: { host: string; port: number; reusePort?: boolean }): Promise<void> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(options, () => probe.close(() => resolve()));
  });
}

async function startThreads(parts: ThreadParts): Promise<Threads> {
  const { config, log, shared, server, makeWorker = newWorker } = parts;
  const { metrics } = parts.platform.ports;
  const running = new Map<number, Thread>();
  let isClosing = false;

  async function start(number: number): Promise<void> {
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const worker = makeWorker(threadData(parts, number));
    const peer = openThreadPeer<OtherThreadCalls>(worker, {
      ...callsOfFirst(parts),
      ready: ready.resolve,
    } satisfies FirstThreadCalls);
    const removeMetrics = metrics.addThread(() => peer.call('families', []));
    running.set(number, { peer, ended: ended.promise });

    let crash: unknown = null;
    worker.on('error', (error) => {
      crash = error;
    });
    worker.on('exit', (exitCode) => {
      running.delete(number);
      removeMetrics();
      peer.end();
      shared.connections.forget(number);
      shared.disk.forget(number);
      const cause = crash ?? new Error(`A thread ended with exit code ${exitCode}.`);
      ready.reject(cause);
      ended.resolve();
      if (!isClosing) replace(number, cause);
    });
    await ready.promise;
  }

  /** Replaces a dead thread: its connections are lost, and its usage not yet flushed. */
  function replace(number: number, cause: unknown): void {
    log.error('thread-died', { thread: number, cause });
    setTimeout(() => {
      // A failed start is an exit too, which calls this again.
      if (!isClosing) start(number).catch(() => undefined);
    }, REPLACED_AFTER_MS).unref();
  }

  shared.onDelete = (ids) => {
    for (const { peer } of running.values()) peer.call('forgetBlobs', [ids]).catch(() => undefined);
  };

  /** Signals come to this thread alone, whose own TLS hears them itself. */
  const renewTls = () => {
    for (const { peer } of running.values()) peer.call('renewTls', []).catch(() => undefined);
  };
  if (parts.tls !== null) process.on(RENEW_SIGNAL, renewTls);

  metrics.add(() => threadFamilies(shared));
  const numbers = Array.from({ length: config.threads - 1 }, (_, at) => at + 1);
  await Promise.all(numbers.map(start));

  return {
    async close(limitMs) {
      isClosing = true;
      process.off(RENEW_SIGNAL, renewTls);
      const closeOne = async ({ peer, ended }: Thread): Promise<number> => {
        const closed = peer.call('close', [limitMs]);
        // One that died has cut its connections already.
        return Promise.race([closed, ended.then(() => 0)]).catch(() => 0);
      };
      const others = Array.from(running.values(), closeOne);
      const cut = await Promise.all([server.close(limitMs), ...others]);
      return cut.reduce((sum, count) => sum + count, 0);
    },
  };
}

function newWorker(workerData: ThreadData): Worker {
  return new Worker(new URL(THREAD_FILE, import.meta.url), {
    workerData,
    name: `serving-${workerData.thread}`,
  });
}

function threadFamilies({ connections }: Pick<SharedState, 'connections'>): MetricFamily[] {
  const help = 'Open connections by the thread that has them; 0 is the first.';
  const samples = connections
    .byThread()
    .map((count, thread) => [{ thread: `${thread}` }, count] as const);
  return [metricFamily('gauge', 'quayside_thread_connections', help, samples)];
}

function threadData(parts: ThreadParts, thread: number): ThreadData {
  const { config, dataDir, server, shared, tls } = parts;
  const port = Number(new URL(server.url).port || (tls === null ? 80 : 443));
  return { thread, config: { ...config, port }, dataDir, memory: shared.memory, tls };
}

/** The first thread's answers to calls of the others, by its own ports. */
function callsOfFirst({ platform, server }: ThreadParts): Omit<FirstThreadCalls, 'ready'> {
  const { accessLog, blobStore, directory, ledger, metadataIndex } = platform.ports;
  return {
    index: (bucket, name, input) => metadataIndex.call(bucket, name, input as never),
    directory: (name, input) => directory.call(name, input as never),
    ledger: (name, input) => ledger.call(name, input as never),
    deleteBlobs: (ids) => blobStore.delete(ids),
    ...platform.forThreads,
    log(lines) {
      for (const line of lines.split('\n')) accessLog?.write(line);
    },
    connect: (port, peer) => server.take(new HandedConnection(port, peer)),
  };
}
