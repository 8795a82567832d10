// The whole service as one Hono app: reads the address and gives the request to its
// surface. Both platforms call createApp with their ports; nothing here knows which
// platform it is.
import { type Context, Hono } from 'hono';
import { createLazyApi } from './api/lazy-api.ts';
import type { Config } from './config.ts';
import { createDecide } from './core/auth/decide.ts';
import { createAccessKeyFinder } from './core/auth/find-access-key.ts';
import { createAccountFinder } from './core/auth/find-accounts.ts';
import { createReceipts } from './core/billing/receipts/take-receipt.ts';
import { createCapGuard } from './core/caps/cap-guard.ts';
import type { Core } from './core/core.ts';
import { createLogCollector } from './core/logging/log-collector.ts';
import { createUsageFlusher, type UsageFlusher } from './core/metering/flush-usage.ts';
import { createReportCrossing } from './core/metering/report-crossing.ts';
import { type Address, createAddressReader, isSharedOrigin, toS3Address } from './http/address.ts';
import { createAnswerRequest } from './http/answer-request.ts';
import { answerVisit, createConsoleSurface } from './http/console/answer-console.ts';
import { createDelivery } from './http/delivery/create-delivery.ts';
import { FAST_PATH_HEADERS, isPlainRead } from './http/delivery/deciding-headers.ts';
import type { FastPath } from './http/delivery/fast-path/fast-path.ts';
import { createLinks } from './http/links/link-kinds.ts';
import { createLinkParts } from './http/links/link-parts.ts';
import { createObserver, type Observer } from './http/observe/observer.ts';
import type { HttpRequest } from './http/request.ts';
import { createS3Surface } from './http/s3/routes.ts';
import { isSigned } from './http/s3/signature/is-signed.ts';
import { refuseServiceWorker } from './http/semantics/active-content.ts';
import { createSystemSurface } from './http/system/system.ts';
import type { Ports } from './ports/index.ts';

export type App<Bindings extends object> = {
  readonly fetch: Hono<{ Bindings: Bindings }>['fetch'];
  /**
   * The fast path: answers what stands ready in memory, as `fetch` would, before
   * the server.
   */
  readonly fastPath: FastPath;
  /** Writes the logs of buckets that are old enough, or all: by a timer, and at the end. */
  readonly flushBucketLogs: (all?: boolean) => Promise<void>;
  /** What the app and its platform count, for the metrics of all threads. */
  readonly families: Observer['families'];
  /** Brings what was counted to the ledger: by a timer (Node), or behind answers (Workers). */
  readonly usage: UsageFlusher;
};

/**
 * `readRequest` turns what the platform's server gives into an HttpRequest, without
 * URL or Headers objects on Node.
 */
export function createApp<Bindings extends object>(
  ports: Ports,
  config: Config,
  readRequest: (c: Context<{ Bindings: Bindings }>) => HttpRequest,
): App<Bindings> {
  const core: Core = { ports, settings: config };
  const decide = createDecide();
  // A name that no other process has had.
  const source = `process ${ports.ids.requestId()}`;
  const links = createLinkParts(core, config.countryHeader);
  const intervalMs = config.meterFlushSeconds * 1000;
  const usage = createUsageFlusher(core, { source, intervalMs, companion: links.counter });
  const caps = createCapGuard(core, usage, source, createReportCrossing(core));
  const takeReceipt = createReceipts(core, usage, source);
  const delivery = createDelivery(core, config, decide, caps, takeReceipt, links);
  const { deliver, deliverSite, answerAtOnce, fastPathCounts } = delivery;
  const bucketLogs = createLogCollector(core, config.bucketLogSeconds * 1000);
  const observer = createObserver(ports, config, fastPathCounts, undefined, bucketLogs);
  const answerSystem = createSystemSurface(config, observer.families, ports.readiness);
  const answerConsole = createConsoleSurface(ports.consoleFiles);
  const rootKey = { id: config.rootAccessKey, secret: config.rootSecretKey };
  const findAccessKey = createAccessKeyFinder(core, rootKey, config.seed);
  const findAccounts = createAccountFinder(core, config.seed);
  const s3 = createS3Surface(core, {
    ...config,
    ...delivery,
    findAccessKey,
    findAccounts,
    decide,
    caps,
    takeReceipt,
  });
  const answerApi = createLazyApi({ core, findAccessKey, findAccounts, decide, caps, ...config });
  const answerLink = createLinks(core, config, { ...links, delivery, caps });
  const readAddress = createAddressReader(config, ports.directory.findHost);

  function handle(request: HttpRequest, requestId: string): Response | Promise<Response> {
    const address = readAddress(request.rawPath, request.host);
    return address instanceof Promise
      ? address.then((late) => answerAt(late, request, requestId))
      : answerAt(address, request, requestId);
  }

  function answerAt(
    address: Address,
    request: HttpRequest,
    requestId: string,
  ): Response | Promise<Response> {
    if (address.kind === 'link') return answerLink(request, address, requestId);
    if (address.kind === 'system') {
      const { path } = address;
      const page = answerApi(request, path, requestId) ?? answerConsole(request, path, requestId);
      return page ?? answerSystem(request, path, requestId);
    }
    const visit = address.kind === 'service' ? answerVisit(request, requestId) : null;
    if (visit !== null) return visit;
    if (isSharedOrigin(address)) refuseServiceWorker(request);
    const isForS3 = address.kind !== 'site' || (address.binding !== null && isSigned(request));
    if (!isForS3) return deliverSite(request, address, requestId);
    if (address.kind === 'bucket' && address.rawKey !== null && isPlainRead(request)) {
      return deliver(request, address.rawBucket, address.rawKey, requestId, address.isVirtualHost);
    }
    return s3.handle(request, toS3Address(address), requestId);
  }

  const answerFully = createAnswerRequest(ports, observer, handle);
  const app = new Hono<{ Bindings: Bindings }>();
  app.all('*', (c) => answerFully(readRequest(c)));
  const fastPath: FastPath = {
    answerFully,
    answer: observer.watchFastPath(answerAtOnce),
    answerSigned: observer.watchFastPath(s3.answerSignedAtOnce),
    ...FAST_PATH_HEADERS,
    requestId: ports.ids.requestId,
    served: observer.servedByFastPath,
  };
  const { families } = observer;
  return { fetch: app.fetch, fastPath, flushBucketLogs: bucketLogs.flush, families, usage };
}
