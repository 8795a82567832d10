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
import { openConfiguredTls, tlsSettingsOf } from './adapters/node/tls/open-tls.ts';
import { createConsoleLog } from './adapters/shared/console-log.ts';
import { systemClock } from './adapters/shared/system-clock.ts';
import { parseConfig, warnOfUnknown } from './config.ts';

async function start(): Promise<void> {
  const seed = readSeedFile(process.env.QUAYSIDE_SEED);
  const settings = parseConfig({ ...process.env, QUAYSIDE_SEED: seed });
  const log = createConsoleLog(systemClock, settings.logLevel);
  guardProcess(log);
  warnOfUnknown(process.env, log);
  const tlsSettings = tlsSettingsOf(settings);
  const tls = await openConfiguredTls(tlsSettings, log);
  // What it writes is for its own user only: the index holds secrets of access keys.
  process.umask(0o077);
  const { path: dataDir, unlock } = openDataFolder(settings.dataDir);
  const { inspectFolder } = await import('./adapters/node/process/inspect-folder.ts');
  const { config: ofProcess, rootKey } = await inspectFolder(dataDir, settings);
  const threading =
    settings.threads === 1
      ? null
      : await (await import('./adapters/node/threads/threads.ts')).openThreading(ofProcess);
  const { config, shared } = threading ?? { config: ofProcess, shared: null };

  // Imported beside the opening of the index, through the compile cache: from the
  // second start on 0.53 s of CPU in place of 0.84 (measured 2026-11).
  const opening = import('./adapters/node/node-ports.ts').then(({ openNodePorts }) =>
    openNodePorts(config, { dataDir, log, onCrash: endOnCrash(log), shared }),
  );
  const [platform, { serveApp }, maintenance, outbox, operator] = await Promise.all([
    opening,
    import('./serve-app.ts'),
    import('./core/maintenance.ts'),
    import('./core/outbox/dispatch.ts'),
    import('./core/operator/operator-work.ts'),
  ]);
  const { ports, disk, scrub } = platform;
  const core = { ports, settings: config };
  const { app, server } = await serveApp(ports, config, { ...threading?.listening, tls });
  const threads = await threading?.start({ dataDir, log, platform, server, tls: tlsSettings });

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
    closeServer: threads?.close ?? server.close,
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
