// A QR code as an SVG picture of the page itself, black on white in every theme, as
// cameras want it.
import { type Element, h } from '../element.ts';
import { type QrCode, qrCode } from './qr-code.ts';

/** Modules of light around a code. Source: ISO/IEC 18004:2015, 6.3.8 */
const QUIET_MODULES = 4;

/** `label`: what the picture is, to those who hear the page. Null: the text is too long. */
export function qrPicture(text: string, label: string): Element | null {
  const code = qrCode(text);
  if (code === null) return null;
  const side = code.length + QUIET_MODULES * 2;
  return h(
    'svg',
    { class: 'qr', viewBox: `0 0 ${side} ${side}`, role: 'img', 'aria-label': label },
    h('path', { class: 'qr-ground', d: `M0 0h${side}v${side}H0z` }),
    h('path', { class: 'qr-dark', d: pathOf(code) }),
  );
}

/** Each run of dark modules in a row is one rectangle. */
function pathOf(code: QrCode): string {
  return code
    .flatMap((row, y) => {
      const line = row.map((isDark) => (isDark ? '1' : '0')).join('');
      return [...line.matchAll(/1+/g)].map(({ index, 0: { length } }) => {
        return `M${index + QUIET_MODULES} ${y + QUIET_MODULES}h${length}v1h-${length}z`;
      });
    })
    .join('');
}
