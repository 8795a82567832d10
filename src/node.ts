// The Node platform: environment -> settings -> ports -> app -> a listening server,
// and its orderly end. `npm start` runs it. Nothing is decided here.
import { flushCompileCache } from 'node:module';
import { openDataFolder } from './adapters/node/disk/data-folder.ts';
import { announce } from './adapters/node/process/announce.ts';
import {
  closeOnSignals,
  endOnCrash,
  endsWithTerminal,
  guardProcess,
} from './adapters/node/process/process-end.ts';
import { endFailedStart, prepareProcess } from './adapters/node/process/process-start.ts';
import { readSeedFile } from './adapters/node/process/seed-file.ts';
import { startServiceTasks } from './adapters/node/process/service-tasks.ts';
import type { NodeBindings } from './adapters/node/serve.ts';
import { createClientReader } from './adapters/node/server/trusted-proxies.ts';
import { createConsoleLog } from './adapters/shared/console-log.ts';
import { systemClock } from './adapters/shared/system-clock.ts';
import { parseConfig, warnOfUnknown } from './config.ts';

async function start(): Promise<void> {
  const seed = readSeedFile(process.env.QUAYSIDE_SEED);
  const settings = parseConfig({ ...process.env, QUAYSIDE_SEED: seed });
  const log = createConsoleLog(systemClock, settings.logLevel);
  guardProcess(log);
  warnOfUnknown(process.env, log);
  // What this process writes is for its own user only: the index holds the secrets
  // of access keys.
  process.umask(0o077);
  const { path: dataDir, unlock } = openDataFolder(settings.dataDir);
  const { inspectFolder } = await import('./adapters/node/process/inspect-folder.ts');
  const { config, rootKey } = await inspectFolder(dataDir, settings);

  // Imported here, beside the opening of the index and through the compile cache:
  // from the second start on that takes a third less. Measured 2026-11: 0.84 s of
  // CPU without, 0.53 s with it.
  const opening = import('./adapters/node/node-ports.ts').then(({ openNodePorts }) =>
    openNodePorts(config, { dataDir, log, onCrash: endOnCrash(log) }),
  );
  const [platform, appModule, requests, { serve }, maintenance, outbox, operator] =
    await Promise.all([
      opening,
      import('./app.ts'),
      import('./adapters/node/server/http-request.ts'),
      import('./adapters/node/serve.ts'),
      import('./core/maintenance.ts'),
      import('./core/outbox/dispatch.ts'),
      import('./core/operator/operator-work.ts'),
    ]);
  const { ports, disk, scrub } = platform;
  const core = { ports, settings: config };

  const readClient = createClientReader(config.trustedProxies);
  const reading = { ...requests.DIRECT, readClient };
  const app = appModule.createApp<NodeBindings>(ports, config, ({ env }) =>
    requests.readRequest(env, reading),
  );
  const server = await serve(app.fetch, {
    ...config,
    log,
    fastPath: { ...app.fastPath, readClient },
    hasFastConnections: config.isFastPathOn,
  });
  ports.metrics.add(server.families);

  const tasks = startServiceTasks({
    config,
    log,
    app,
    background: ports.background,
    maintain: (stopping) => maintenance.maintain(core, { stopping }),
    dispatcher: outbox.createDispatcher(core, platform.outbox.queue, config.region),
    outbox: platform.outbox,
    upkeep: { disk, scrub, work: operator.createOperatorWork(core) },
    endWaits: platform.endWaits,
    closeServer: server.close,
    closePorts: platform.close,
  });
  closeOnSignals(() => tasks.close().then(unlock), {
    limitMs: tasks.closeLimitMs,
    log,
    endsOnHangup: endsWithTerminal(config),
  });
  announce(server.url, dataDir, rootKey);
  flushCompileCache();
}

prepareProcess();
start().catch(endFailedStart);
