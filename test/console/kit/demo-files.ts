// Files for an instance that looks lived in: pictures drawn by code, tables, texts, a PDF, an
// archive. Their bytes are the same each time, so that pictures of the console can be compared.
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import sharp from 'sharp';

export type DemoFile = {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** Colours of the sky from above to the horizon, and of the water. */
type Light = { readonly sky: readonly string[]; readonly water: string; readonly sunY: number };

const LIGHTS = {
  dawn: { sky: ['#33506b', '#8d7f8c', '#f0a868'], water: '#3d5f74', sunY: 300 },
  noon: { sky: ['#5fa3cf', '#a9d0e6', '#dff0f5'], water: '#2f7d95', sunY: 90 },
  storm: { sky: ['#4a5560', '#6f7a83', '#9aa3a8'], water: '#3f5158', sunY: -80 },
  dusk: { sky: ['#2c2a4a', '#7a4b6e', '#d9785b'], water: '#38395c', sunY: 330 },
} as const satisfies Record<string, Light>;

const boat = (x: number, size: number, hull: string) =>
  `<g transform="translate(${x} 430) scale(${size})">` +
  `<path d="M-60 0h120l-22 26h-76z" fill="${hull}"/>` +
  '<path d="M-4-6v-150l64 146z" fill="#f6f3ec"/>' +
  '<path d="M-10-6v-120l-44 116z" fill="#e3ddd0"/></g>';

const crane = (x: number) =>
  `<path d="M${x} 360v-170h-60l150-26v22h-70v174z" fill="#22303a" opacity=".85"/>`;

/** A harbour in that light, as an SVG of 960 × 640. */
function harbour(light: keyof typeof LIGHTS, shapes: string): string {
  const { sky, water, sunY } = LIGHTS[light];
  const stops = sky.map((colour, at) => `<stop offset="${at / 2}" stop-color="${colour}"/>`);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="640">' +
    `<linearGradient id="s" x2="0" y2="1">${stops.join('')}</linearGradient>` +
    '<path fill="url(#s)" d="M0 0h960v400H0z"/>' +
    `<circle cx="620" cy="${sunY}" r="46" fill="#fff3d6" opacity=".9"/>` +
    `<path fill="${water}" d="M0 380h960v260H0z"/>` +
    '<path fill="#22303a" opacity=".7" d="M0 352h420l24 28H0z"/>' +
    `${shapes}</svg>`
  );
}

const PICTURES: Readonly<Record<string, string>> = {
  '2-start-line.jpg': harbour(
    'noon',
    boat(220, 0.7, '#8c2f39') + boat(400, 0.9, '#1d4e63') + boat(640, 1.1, '#c98b2b'),
  ),
  '10-harbour-dawn.jpg': harbour('dawn', crane(180) + crane(330) + boat(760, 1, '#1b2730')),
  'committee-boat.jpg': harbour('storm', boat(480, 1.4, '#d8b23a')),
  '港口日出_最终版_给媒体.jpg': harbour('dusk', crane(240) + boat(600, 0.8, '#1b2730')),
};

const file = (key: string, contentType: string, text: string): DemoFile => ({
  key,
  contentType,
  bytes: new TextEncoder().encode(text),
});

async function picture(key: string, svg: string): Promise<DemoFile> {
  const jpeg = await sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer();
  return { key, contentType: 'image/jpeg', bytes: new Uint8Array(jpeg) };
}

const CREWS = ['Kittiwake', 'Sable', 'Northern Light', '海燕', 'Åsgard', 'Tern II'];

function crewList(): string {
  const rows = CREWS.flatMap((boatName, crew) =>
    ['skipper', 'helm', 'trim', 'bow'].map(
      (role, seat) =>
        `${boatName},${role},${crew * 4 + seat + 1},${1990 + ((crew * 7 + seat) % 18)}`,
    ),
  );
  return `boat,role,bib,born\n${rows.join('\n')}\n`;
}

/** A PDF of one page with a line of text. Source: ISO 32000-1, 7.5 */
function pdf(line: string): string {
  const stream = `BT /F1 20 Tf 60 760 Td (${line}) Tj ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R' +
      '/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((body, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj${body}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}`;
  return `${text}${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** The head of an MP4 and no film: enough for its kind to be known. */
function mp4Head(key: string, sizeBytes: number): DemoFile {
  const bytes = new Uint8Array(sizeBytes);
  bytes.set([0, 0, 0, 24]);
  bytes.set(new TextEncoder().encode('ftypmp42\0\0\0\0mp42isom'), 4);
  return { key, contentType: 'video/mp4', bytes };
}

async function zip(key: string, names: readonly string[]): Promise<DemoFile> {
  const writer = new ZipWriter(new Uint8ArrayWriter());
  const lastModDate = new Date('2026-11-02T09:00:00Z');
  for (const name of names) {
    await writer.add(name, new TextReader(`<svg><!-- ${name} --></svg>\n`), { lastModDate });
  }
  return { key, contentType: 'application/zip', bytes: new Uint8Array(await writer.close()) };
}

const logLine = (second: number) =>
  `${new Date(Date.UTC(2026, 10, 22, 9, 0, second)).toISOString()} ` +
  `GET /photos/2026-regatta/web/hero-${second % 7}.avif ${second % 31 === 0 ? 404 : 200} ` +
  `${(second * 37) % 900} ms\n`;

const README =
  '# Regatta 2026\n\nPictures of the press boat. **Web** sizes are made by a rule each night.\n\n' +
  '- [Crew list](crew-list.csv)\n- [Press release](press-release-regatta-2026-final-approved-' +
  'by-committee-master-v3.pdf)\n';

/** What is in the folder of the regatta, by names below it. */
export async function regattaFiles(): Promise<readonly DemoFile[]> {
  const pictures = await Promise.all(
    Object.entries(PICTURES).map(([name, svg]) => picture(name, svg)),
  );
  const small = (folder: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      file(
        `${folder}/frame-${String(at + 1).padStart(5, '0')}.txt`,
        'text/plain',
        `${folder} ${at}\n`,
      ),
    );
  return [
    ...pictures,
    file('crew-list.csv', 'text/csv', crewList()),
    mp4Head('protest-hearing.mp4', 400_000),
    file(
      'press-release-regatta-2026-final-approved-by-committee-master-v3.pdf',
      'application/pdf',
      pdf('Regatta 2026: results'),
    ),
    file(
      'results.ndjson',
      'application/x-ndjson',
      CREWS.map(
        (name, at) => `${JSON.stringify({ place: at + 1, name, points: 4 + at * 3 })}\n`,
      ).join(''),
    ),
    await zip('sponsor-logos.zip', ['lighthouse.svg', 'rope-works.svg', 'tide-table.svg']),
    file('README.md', 'text/markdown', README),
    ...small('contact-sheets', 4),
    ...small('drone', 12),
    ...small('raw', 30),
    ...pictures.slice(0, 2).map(({ key, ...rest }) => ({ ...rest, key: `finish-line/${key}` })),
    ...pictures.map(({ key, ...rest }) => ({ ...rest, key: `web/${key}` })),
  ];
}

/** Files of the other buckets, by bucket. */
export function otherFiles(): Readonly<Record<string, readonly DemoFile[]>> {
  const log = (hour: number) =>
    file(
      `2026/11/22/${String(hour).padStart(2, '0')}.log`,
      'text/plain',
      Array.from({ length: 400 }, (_, second) => logLine(second)).join(''),
    );
  const page = (name: string) =>
    file(name, 'text/html', `<!doctype html><title>Harbour Light</title><h1>${name}</h1>\n`);
  return {
    'archive-2025': [file('2025/closing-balance.csv', 'text/csv', 'month,total\n12,512\n')],
    'backups-db': Array.from({ length: 8 }, (_, day) =>
      file(`nightly/2026-11-${14 + day}.sql`, 'application/sql', `-- ${day}\n`.repeat(2000)),
    ),
    'client-deliveries': [
      file('okoro/proofs/1-40.txt', 'text/plain', 'proofs\n'),
      file('okoro/contract.pdf', 'application/pdf', pdf('Okoro prints')),
      file('lindqvist/release form (signed).pdf', 'application/pdf', pdf('Release')),
    ],
    'logs-edge': Array.from({ length: 12 }, (_, hour) => log(hour)),
    'press-kit': [file('drafts/note.md', 'text/markdown', '# Draft\n')],
    'website-production-www-harbourlight-example': [
      page('index.html'),
      page('about.html'),
      file('style.css', 'text/css', 'body { color: #123 }\n'),
    ],
  };
}
