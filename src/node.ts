// The Node home: environment -> settings -> ports -> app -> a listening server, and its orderly
// end. `npm start` runs it. Nothing is decided here.
import { flushCompileCache } from 'node:module';
import { openDataFolder } from './adapters/node/disk/data-folder.ts';
import { announce } from './adapters/node/process/announce.ts';
import {
  closeOnSignals,
  endsWithTerminal,
  guardProcess,
} from './adapters/node/process/process-end.ts';
import { endFailedStart, prepareProcess } from './adapters/node/process/process-start.ts';
import { repeat } from './adapters/node/process/repeat.ts';
import { loadRootKey } from './adapters/node/process/root-key.ts';
import { readSeedFile } from './adapters/node/process/seed-file.ts';
import type { NodeBindings } from './adapters/node/serve.ts';
import { createClientReader } from './adapters/node/server/trusted-proxies.ts';
import { runOutbox } from './adapters/node/services/outbox-runner.ts';
import { runUpkeep } from './adapters/node/upkeep.ts';
import { createConsoleLog } from './adapters/shared/console-log.ts';
import { systemClock } from './adapters/shared/system-clock.ts';
import { parseConfig, warnOfUnknown } from './config.ts';

/**
 * The logs of buckets are looked at so often at least, milliseconds; more often where they may wait
 * for less.
 */
const LOG_CHECK_MAX_MS = 5_000;
/**
 * The first sweep begins this long after the start at the latest, milliseconds: late enough to
 * leave the start alone.
 */
const FIRST_SWEEP_MS = 10_000;
/** Milliseconds that work behind the answers gets to finish at the end. */
const BACKGROUND_LIMIT_MS = 5_000;

async function start(): Promise<void> {
  const settings = parseConfig({
    ...process.env,
    QUAYSIDE_SEED: readSeedFile(process.env.QUAYSIDE_SEED),
  });
  const log = createConsoleLog(systemClock, settings.logLevel);
  guardProcess(log);
  warnOfUnknown(process.env, log);
  // What this process writes is for its own user only: the index holds the secrets of access keys.
  process.umask(0o077);
  const folder = openDataFolder(settings.dataDir);
  const { inspectFolder } = await import('./adapters/node/process/inspect-folder.ts');
  const masterKeys = await inspectFolder(folder.path, settings);
  const rootKey = loadRootKey(settings, folder.path);
  const config = {
    ...settings,
    masterKeys,
    rootAccessKey: rootKey.accessKey,
    rootSecretKey: rootKey.secretKey,
  };
  const onCrash = (cause: unknown) => {
    log.error('index-writer-died', { cause });
    process.exit(1);
  };
  // Beside the opening of the index, through the compile cache: 0.53 s of CPU, not 0.84 s
  const [
    home,
    { createApp },
    { DIRECT, readRequest },
    { serve },
    { maintain },
    { createDispatcher },
    operator,
  ] = await Promise.all([
    import('./adapters/node/node-ports.ts').then(({ openNodePorts }) =>
      openNodePorts(config, { dataDir: folder.path, log, onCrash }),
    ),
    import('./app.ts'),
    import('./adapters/node/server/http-request.ts'),
    import('./adapters/node/serve.ts'),
    import('./core/maintenance.ts'),
    import('./core/outbox/dispatch.ts'),
    import('./core/operator/operator-work.ts'),
  ]);
  const { ports, close } = home;
  const reading = { ...DIRECT, readClient: createClientReader(config.trustedProxies) };
  const app = createApp<NodeBindings>(ports, config, ({ env }) => readRequest(env, reading));
  const hotDoor = { ...app.hotDoor, readClient: reading.readClient };
  const server = await serve(app.fetch, {
    ...config,
    log,
    hotDoor,
    hasHotLane: config.isHotLaneOn,
  });
  ports.metrics.add(server.families);
  const sweepEveryMs = config.sweepIntervalSeconds * 1000;
  const sweepTimes = {
    firstMs: Math.min(FIRST_SWEEP_MS, sweepEveryMs),
    everyMs: sweepEveryMs,
    log,
  };
  const sweeper = repeat(
    'sweep',
    (stopping) => maintain({ ports, settings: config }, { stopping }),
    sweepTimes,
  );
  const dispatcher = createDispatcher(
    { ports, settings: config },
    home.outbox.queue,
    config.region,
  );
  const outbox = runOutbox(dispatcher, home.outbox, log);
  const drainMs = config.drainSeconds * 1000;
  const meterReader = repeat('usage', app.usage.flush, {
    everyMs: config.meterFlushSeconds * 1000,
    log,
  });
  const logCheckMs = Math.min(LOG_CHECK_MAX_MS, config.bucketLogSeconds * 1000);
  const logWriter = repeat('bucket-logs', () => app.flushBucketLogs(), {
    everyMs: logCheckMs,
    log,
  });
  const upkeep = runUpkeep(home, operator.createOperatorWork({ ports, settings: config }), log);
  const closeAll = async () => {
    ports.background.run('last-sweep', sweeper.stop);
    ports.background.run('last-deliveries', outbox.stop);
    const cutConnections = await server.close(drainMs);
    await upkeep.stop();
    await logWriter.stop();
    await app.flushBucketLogs(true);
    await meterReader.stop();
    await app.usage.close();
    if (cutConnections > 0) log.error('connections-cut', { cutConnections });
    await close(BACKGROUND_LIMIT_MS);
    folder.unlock();
  };
  closeOnSignals(closeAll, {
    limitMs: drainMs + BACKGROUND_LIMIT_MS,
    log,
    endsOnHangup: endsWithTerminal(config),
  });
  announce(server.url, folder.path, rootKey);
  flushCompileCache();
}

prepareProcess();
start().catch(endFailedStart);
