// The owner's colour on a link page, for buttons, links and focus. Whatever was
// chosen, texts keep 4.5:1 on both themes: the colour is made darker or lighter until
// they do. Source: https://www.w3.org/TR/WCAG22/#contrast-minimum

type Rgb = readonly [red: number, green: number, blue: number];

/** Least contrast of text. */
const LEAST_CONTRAST = 4.5;
/** Grounds that text in the colour stands on: the lowest contrast of each theme. */
const LIGHT_GROUND: Rgb = [0xe2, 0xe9, 0xeb];
const DARK_GROUND: Rgb = [0x1d, 0x32, 0x3a];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** Steps towards black or white; the last one is there. */
const STEPS = 50;

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The style sheet that puts the colour in place of the console's; null: none was chosen. */
export function ownColourStyle(colour: string | null): string | null {
  if (colour === null || !COLOUR.test(colour)) return null;
  const chosen = parse(colour);
  const light = tokensOf(readable(chosen, LIGHT_GROUND, BLACK), BLACK);
  const dark = tokensOf(readable(chosen, DARK_GROUND, WHITE), WHITE);
  return `:root:root{${light}}@media(prefers-color-scheme:dark){:root:root{${dark}}}`;
}

/** The colour nearest to the chosen one, towards an end, that can be read on the ground. */
function readable(chosen: Rgb, ground: Rgb, end: Rgb): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(chosen, end, step / STEPS);
    if (contrast(mixed, ground) >= LEAST_CONTRAST) return mixed;
  }
  return end;
}

function tokensOf(colour: Rgb, end: Rgb): string {
  const strong = mix(colour, end, 0.2);
  const onColour = contrast(WHITE, colour) >= LEAST_CONTRAST ? WHITE : BLACK;
  return `--water:${hex(colour)};--water-strong:${hex(strong)};--on-water:${hex(onColour)}`;
}

/** Contrast of two colours, 1 to 21. Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Source: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

const mix = ([red, green, blue]: Rgb, end: Rgb, share: number): Rgb => {
  const channel = (from: number, to: number) => Math.round(from + (to - from) * share);
  return [channel(red, end[0]), channel(green, end[1]), channel(blue, end[2])];
};

function parse(colour: string): Rgb {
  const channel = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

const hex = (colour: Rgb): string =>
  `#${colour.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
