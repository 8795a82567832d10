// TXT records by DNS over HTTPS, in the JSON form that Cloudflare and Google speak:
// a Worker has no sockets for DNS. Runs on both platforms. Source:
// https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/
import { StorageError } from '../../domain/errors.ts';
import { DNS_LIMIT_MS, type TxtRecords } from '../../ports/txt-records.ts';

/** Bytes of an answer: as many as a message of DNS can have, in JSON. */
const ANSWER_MAX_BYTES = 128 * 1024;
/**
 * Source: https://www.iana.org/assignments/dns-parameters (RCODEs, resource record
 * types)
 */
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;
const TXT = 16;

type DnsAnswer = {
  readonly Status?: unknown;
  readonly Answer?: readonly { readonly type?: unknown; readonly data?: unknown }[];
};

/**
 * `url`: where the service answers, such as `https://cloudflare-dns.com/dns-query`.
 */
export function createHttpsTxtRecords(url: string, limitMs = DNS_LIMIT_MS): TxtRecords {
  return {
    async read(name) {
      try {
        return textsOf(await query(`${url}?name=${encodeURIComponent(name)}&type=TXT`, limitMs));
      } catch (cause) {
        throw new StorageError('ServiceUnavailable', {
          detail: `DNS could not be asked for ${name}.`,
          cause,
        });
      }
    },
  };
}

async function query(question: string, limitMs: number): Promise<DnsAnswer> {
  const response = await fetch(question, {
    headers: { accept: 'application/dns-json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(limitMs),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the service of DNS answered ${response.status}`);
  }
  const answer: unknown = JSON.parse(await readText(response));
  if (typeof answer !== 'object' || answer === null)
    throw new Error('the service of DNS answered no object');
  return answer;
}

/** The body as text. An Error above ANSWER_MAX_BYTES. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > ANSWER_MAX_BYTES) throw new Error('the service of DNS answered too much');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * The texts of the TXT records; what else is there are the aliases on the way to
 * them.
 */
function textsOf({ Status: status, Answer: records }: DnsAnswer): readonly string[] {
  if (status === NO_SUCH_NAME) return [];
  if (status !== NO_ERROR) throw new Error(`DNS answered with status ${String(status)}`);
  if (!Array.isArray(records)) return [];
  return records.flatMap(({ type, data }) =>
    type === TXT && typeof data === 'string' ? [unquoted(data)] : [],
  );
}

/**
 * `"one" "two"`, as a zone file has a text in pieces, becomes `onetwo`; some
 * services leave the quotes out.
 */
function unquoted(data: string): string {
  const pieces = data.split('"');
  return pieces.length === 1 ? data : pieces.filter((_, index) => index % 2 === 1).join('');
}
