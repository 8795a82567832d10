// Which viewer shows an object: by the type that is stored with it, the end of its
// name, and its first bytes.

export type ViewerKind =
  | 'image'
  | 'heic'
  | 'video'
  | 'audio'
  | 'pdf'
  | 'page'
  | 'markdown'
  | 'table'
  | 'text'
  | 'log'
  | 'gzip'
  | 'zip'
  | 'tar'
  | 'font'
  | 'hex'
  | 'empty';

/** By the end of a name, which may be `constructor` too: so these are maps. */
const BY_EXTENSION: ReadonlyMap<string, ViewerKind> = new Map([
  ...kindOfEach('image', 'png jpg jpeg jfif gif webp avif bmp ico apng'),
  ...kindOfEach('heic', 'heic heif'),
  ...kindOfEach('video', 'mp4 m4v webm mov mkv ogv'),
  ...kindOfEach('audio', 'mp3 m4a aac ogg oga opus wav flac weba'),
  ...kindOfEach('pdf', 'pdf'),
  ...kindOfEach('page', 'html htm xhtml svg'),
  ...kindOfEach('markdown', 'md markdown mkd'),
  ...kindOfEach('table', 'csv tsv tab'),
  ...kindOfEach('log', 'log'),
  ...kindOfEach('gzip', 'gz tgz'),
  ...kindOfEach('zip', 'zip jar epub docx xlsx pptx odt ods odp apk whl'),
  ...kindOfEach('tar', 'tar'),
  ...kindOfEach('font', 'woff2 woff ttf otf'),
  ...kindOfEach(
    'text',
    'txt json ndjson jsonl geojson xml rss atom css scss less js mjs cjs jsx ts mts cts tsx ' +
      'vue svelte py rb go rs java kt kts swift c h cc cpp cxx hpp cs php lua zig sql sh bash ' +
      'zsh fish ps1 bat yml yaml toml ini cfg conf env properties tf hcl graphql gql proto diff ' +
      'patch dockerfile makefile cmake gradle r pl pm scala clj ex exs erl hs ml dart tex bib ' +
      'srt vtt ass gitignore editorconfig lock pem crt csr pub asc webmanifest map m3u8 m3u ics ' +
      'vcf eml',
  ),
]);

function kindOfEach(kind: ViewerKind, extensions: string): (readonly [string, ViewerKind])[] {
  return extensions.split(' ').map((extension) => [extension, kind]);
}

const BY_TYPE: ReadonlyMap<string, ViewerKind> = new Map<string, ViewerKind>([
  ['image/svg+xml', 'page'],
  ['image/heic', 'heic'],
  ['image/heif', 'heic'],
  ['application/pdf', 'pdf'],
  ['text/html', 'page'],
  ['application/xhtml+xml', 'page'],
  ['text/markdown', 'markdown'],
  ['text/csv', 'table'],
  ['text/tab-separated-values', 'table'],
  ['application/gzip', 'gzip'],
  ['application/x-gzip', 'gzip'],
  ['application/zip', 'zip'],
  ['application/x-tar', 'tar'],
]);
const TEXT_TYPE =
  /^(?:text\/|application\/(?:json|x-ndjson|javascript|xml|yaml|toml|sql|x-sh|graphql)|[a-z]+\/[\w.-]{1,40}\+(?:json|xml)$)/;

/** Browsers show these as pictures; of others they make a download. */
const SHOWN_IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|apng)$/;

/** The end of a name, in lower case: `jpg`; the whole of `Dockerfile`. */
export function extensionOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return dot === -1 ? name : name.slice(dot + 1);
}

/** The type without its parameters, in lower case. */
export const plainType = (contentType: string | null): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** What programs send where they know no better. */
const SAYS_NOTHING = /^(?:|application\/octet-stream|binary\/octet-stream|text\/plain)$/;

/**
 * Which viewer it is for, by name and type; null: its first bytes must be looked at.
 */
export function kindOf(key: string, contentType: string | null): ViewerKind | null {
  const type = plainType(contentType);
  const byName = BY_EXTENSION.get(extensionOf(key));
  if (!SAYS_NOTHING.test(type)) {
    const byType = kindOfType(type);
    // Markdown, logs and tables are often sent as a more common type of text.
    if (byType === 'text' && byName !== undefined) return byName;
    if (byType !== null) return byType;
  }
  if (byName !== undefined) return byName;
  return type === 'text/plain' ? 'text' : null;
}

function kindOfType(type: string): ViewerKind | null {
  const known = BY_TYPE.get(type);
  if (known !== undefined) return known;
  if (SHOWN_IMAGE.test(type)) return 'image';
  if (type.startsWith('video/')) return 'video';
  if (type.startsWith('audio/')) return 'audio';
  if (type.startsWith('font/')) return 'font';
  return TEXT_TYPE.test(type) ? 'text' : null;
}

/** First bytes that say what a file is, in hex, at an offset. */
const SIGNATURES: readonly (readonly [kind: ViewerKind, hex: string, at: number])[] = [
  ['image', '89504e470d0a1a0a', 0],
  ['image', 'ffd8ff', 0],
  ['image', '474946383', 0],
  ['image', '57454250', 8],
  ['image', '424d', 0],
  ['heic', '6674797068656963', 4],
  ['heic', '667479706d696631', 4],
  ['image', '6674797061766966', 4],
  ['video', '66747970', 4],
  ['video', '1a45dfa3', 0],
  ['audio', '494433', 0],
  ['audio', '664c6143', 0],
  ['audio', '4f676753', 0],
  ['audio', '57415645', 8],
  ['pdf', '25504446', 0],
  ['gzip', '1f8b', 0],
  ['zip', '504b0304', 0],
  ['zip', '504b0506', 0],
  ['tar', '7573746172', 257],
  ['font', '774f4632', 0],
  ['font', '774f4646', 0],
  ['font', '4f54544f', 0],
];

/** First bytes that kindOfBytes needs: the head of a TAR has its mark at 257. */
export const HEAD_BYTES = 512;

/** Which viewer fits the first bytes; never null. */
export function kindOfBytes(head: Uint8Array): ViewerKind {
  if (head.length === 0) return 'empty';
  const hex = [...head].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const found = SIGNATURES.find(([, signature, at]) => hex.startsWith(signature, at * 2));
  if (found !== undefined) return found[0];
  return isText(head) ? 'text' : 'hex';
}

/** Whether bytes read as text: UTF-8, perhaps cut at its end, without control codes. */
function isText(head: Uint8Array): boolean {
  if (head.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
