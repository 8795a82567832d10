// The access log: makes an entry of each answered request, of both doors, and gives its line to the
// home's sink. Made only where the settings ask for one; without it nothing of this runs.
import type { Clock, LineSink } from '../../ports/system.ts';
import { bodyBytesOf, type HotServed, type HttpRequest } from '../request.ts';
import { type AccessEntry, createCombinedFormat, createJsonFormat } from './access-line.ts';
import { bodySource } from './request-notes.ts';

export type AccessLogFormat = 'combined' | 'json';

export type AccessLog = {
  /**
   * An answer of the app whose head stands. The line is written when the home knows how the sending
   * ended.
   */
  answered(request: HttpRequest, requestId: string, status: number): void;
  /** An answer of the hot door. */
  servedHot(served: HotServed): void;
};

/** Cost of a line: about 1 µs (measured 2026-11, bench/hot-path). */
export function createAccessLog(sink: LineSink, format: AccessLogFormat, clock: Clock): AccessLog {
  const toLine = format === 'json' ? createJsonFormat() : createCombinedFormat();

  function write(entry: AccessEntry): void {
    sink.write(toLine(entry));
  }

  return {
    answered(request, requestId, status) {
      const { notes } = request;
      request.onSent(({ protocol, bodyBytes, isWhole }) =>
        write({
          timeMs: clock.nowMs(),
          requestId,
          remoteAddress: request.remoteAddress,
          accessKeyId: notes.accessKeyId,
          method: request.method,
          host: request.host,
          rawPath: request.rawPath,
          rawQuery: request.rawQuery,
          protocol,
          status,
          bodyBytes: bodyBytes ?? notes.bodyBytes,
          isWhole,
          durationMs: performance.now() - notes.startedMs,
          surface: notes.surface,
          operation: notes.operation,
          bucket: notes.bucket,
          metadataTier: notes.metadataTier,
          bodyTier: bodySource(notes),
          referer: request.header('referer'),
          userAgent: request.header('user-agent'),
        }),
      );
    },
    servedHot({ read, reply, requestId, remoteAddress, durationMs, header }) {
      const bodyBytes = read.isHead ? 0 : bodyBytesOf(reply);
      write({
        timeMs: clock.nowMs(),
        requestId,
        remoteAddress,
        accessKeyId: reply.accessKeyId,
        method: read.isHead ? 'HEAD' : 'GET',
        host: read.host,
        rawPath: read.rawPath,
        rawQuery: read.rawQuery ?? '',
        protocol: 'HTTP/1.1',
        status: reply.status,
        bodyBytes,
        isWhole: null,
        durationMs,
        surface: reply.surface,
        operation: read.isHead ? 'HeadObject' : 'GetObject',
        bucket: reply.bucket,
        metadataTier: reply.surface === 's3' ? null : 'memory',
        bodyTier: bodyBytes === 0 ? null : reply.borrowed === null ? 'memory' : 'bucket',
        referer: header('referer'),
        userAgent: header('user-agent'),
      });
    },
  };
}
