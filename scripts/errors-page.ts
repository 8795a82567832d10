// Writes docs/errors.md from the codes, statuses and help in src: `node scripts/errors-page.ts`.
// test/docs/errors.test.ts says when it was forgotten.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERROR_HELP } from '../src/api/error-help.ts';
import { S3_ERROR_HELP } from '../src/api/error-help-s3.ts';
import { ERROR_MESSAGES, type ErrorCode } from '../src/domain/errors.ts';
import { ERROR_STATUS } from '../src/http/semantics/error-status.ts';
import { wrapText } from './wrap-text.ts';

const PAGE = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

/** A fault of ours, of which clients read nothing but InternalError. */
const FAULT = 500;

const INTRO = `# Error codes

<!-- Made by scripts/errors-page.ts from src/api/error-help.ts. Change that, not this page. -->

S3 clients find the code in the XML of the response (\`<Code>\`), clients of the JSON API in the
problem (\`code\`). One code means one thing at both. The \`type\` of a problem is an address of the
running service, \`/-/docs#{code}\`, which shows the text of this page. Each response has a
request id (\`x-amz-request-id\`, \`requestId\`): an operator finds a fault in the log by it.

\`InternalError\`, \`ServiceUnavailable\`, \`SlowDown\`, \`TooManyRequests\` and
\`ConditionalRequestConflict\` may be repeated as they are. Every other code comes again until
something changes.
`;

const codes = (Object.keys(ERROR_MESSAGES) as ErrorCode[]).sort();
const isInternal = (code: ErrorCode) => ERROR_STATUS[code] === FAULT && code !== 'InternalError';

function errorText(code: ErrorCode): string {
  const [cause, wayOut] = ERROR_HELP[code];
  const lines = [
    `- Status: ${ERROR_STATUS[code]}`,
    `- Message: ${ERROR_MESSAGES[code]}`,
    `- Cause: ${cause}`,
    `- Way out: ${wayOut}`,
  ];
  return `### ${code}\n\n${lines.map((line) => wrapText(line, '  ')).join('\n')}\n`;
}

function groupText(title: string, members: readonly ErrorCode[]): string {
  return `## ${title}\n\n${members.map(errorText).join('\n')}`;
}

/** The whole page. */
export function errorsPage(): string {
  const s3 = codes.filter((code) => Object.hasOwn(S3_ERROR_HELP, code));
  const rest = codes.filter((code) => !Object.hasOwn(S3_ERROR_HELP, code));
  const api = rest.filter((code) => !isInternal(code));
  return [
    INTRO,
    groupText('S3 and public reads', s3),
    groupText('JSON API, limits and caps', api),
    groupText('Within the program', rest.filter(isInternal)),
  ].join('\n');
}

if (import.meta.main) writeFileSync(PAGE, errorsPage());
