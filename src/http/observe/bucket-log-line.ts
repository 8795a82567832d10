// One line of a bucket's server access log, in S3's own format, so that every tool
// that reads those reads ours. What we have no word for is `-`. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html
import type { HttpRequest } from '../request.ts';
import { detectQueryAuth } from '../s3/signature/presigned-query.ts';
import { logOperation } from './log-operation.ts';
import { redactTarget, redactUrl } from './redact.ts';

export type BucketLogEntry = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly timeMs: number;
  readonly status: number;
};

/**
 * The version as it stands: a query that can't be decoded was answered, and has its
 * line too.
 */
const VERSION_ID = /(?:^|&)versionId=([^&]*)/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Longest field, characters. */
const FIELD_MAX_LENGTH = 4096;

/**
 * All but the first two fields, owner and bucket: core/logging puts them in front.
 */
export function bucketLogLine(entry: BucketLogEntry): string {
  const { request, requestId, timeMs, status } = entry;
  const { notes, method } = request;
  const isSigned = notes.accessKeyId !== null;
  const queryAuth = detectQueryAuth(request.rawQuery);
  const tls = request.tls?.() ?? null;
  const totalMs = Math.max(0, Math.round(performance.now() - notes.startedMs));
  return [
    `[${timeText(timeMs)}]`,
    plain(request.remoteAddress),
    plain(notes.requester),
    requestId,
    logOperation(notes.surface, method, notes.operation),
    plain(notes.key === null ? null : encodeURIComponent(notes.key)),
    quoted(`${method} ${redactTarget(request.rawPath, request.rawQuery)} HTTP/1.1`),
    status,
    plain(notes.errorCode),
    notes.bodyBytes === 0 ? '-' : notes.bodyBytes,
    notes.objectBytes ?? '-',
    totalMs,
    Math.max(0, Math.round(notes.foundMs - notes.startedMs)),
    quoted(redactUrl(request.header('referer') ?? '') || '-'),
    quoted(request.header('user-agent') ?? '-'),
    plain(VERSION_ID.exec(request.rawQuery)?.[1] ?? null),
    requestId,
    isSigned ? (queryAuth === 'v2' ? 'SigV2' : 'SigV4') : '-',
    plain(tls?.cipher ?? null),
    isSigned ? (queryAuth === 'none' ? 'AuthHeader' : 'QueryString') : '-',
    plain(request.host),
    tls === null ? '-' : `TLSv${tls.version}`,
    '-',
    '-',
  ].join(' ');
}

function timeText(ms: number): string {
  const [year, month, day, time] = new Date(ms).toISOString().split(/[-T.]/);
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time} +0000`;
}

/** Nothing in a field can end it or begin another line. */
function safe(text: string): string {
  return text
    .slice(0, FIELD_MAX_LENGTH)
    .replace(
      /[^\x20-\x7e]|"/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}

function plain(text: string | null): string {
  return text === null || text === '' ? '-' : safe(text).replaceAll(' ', '%20');
}

function quoted(text: string): string {
  return `"${safe(text)}"`;
}
