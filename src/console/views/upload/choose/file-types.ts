// The content type of a file: the browser's, else the one that its ending says.

/** Types that browsers leave empty, by the ending. Source: the IANA registry. */
const TYPES: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  avif: 'image/avif',
  csv: 'text/csv',
  flac: 'audio/flac',
  geojson: 'application/geo+json',
  gz: 'application/gzip',
  heic: 'image/heic',
  jsonl: 'application/x-ndjson',
  jxl: 'image/jxl',
  log: 'text/plain',
  map: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mkv: 'video/matroska',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  sql: 'application/sql',
  tar: 'application/x-tar',
  toml: 'application/toml',
  ts: 'text/plain',
  tsv: 'text/tab-separated-values',
  vtt: 'text/vtt',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zst: 'application/zstd',
};

/** The type that a file will have; undefined: the server's for unknown bytes. */
export function typeOfFile(file: File, name: string): string | undefined {
  if (file.type !== '') return file.type;
  return TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
}
