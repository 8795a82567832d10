// Names, colours, numbers and times on link pages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHtml } from '../../../../src/http/links/page/element.ts';
import { createFormat } from '../../../../src/http/links/page/format.ts';
import { contrast, ownColourStyle } from '../../../../src/http/links/page/own-colour.ts';
import { nameElement, shortName, visibleText } from '../../../../src/http/links/page/shown-name.ts';

describe('a name on a link page', () => {
  it('shows the marks that would turn it, and controls', () => {
    expect(visibleText('photo\u202egpj.exe')).toBe('photo⟨U+202E⟩gpj.exe');
    expect(visibleText('a\nb\u0000\u007f\u200b')).toBe('a␊b␀⟨U+007F⟩⟨U+200B⟩');
    expect(toHtml(nameElement('<b>'))).toBe('<bdi class="name">&lt;b&gt;</bdi>');
  });

  it('is cut in its middle where it is long, and whole letters stay', () => {
    const long = `${'字'.repeat(3000)}.tar.gz`;
    expect(shortName(long)).toMatch(/^字{95}…字{17}\.tar\.gz$/);
    const faces = shortName('😀'.repeat(1000));
    expect([faces.isWellFormed(), [...faces].length]).toEqual([true, 120]);
    expect(toHtml(nameElement('a'.repeat(4096))).length).toBeLessThan(1300);
    const fits = 'a'.repeat(120);
    expect(shortName(fits)).toBe(fits);
  });
});

const parse = (colour: string) =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];

describe("the owner's colour", () => {
  it('keeps 4.5:1 for texts in it and on it, in both themes, whatever it is', () => {
    const colours = fc.integer({ min: 0, max: 0xffffff });
    fc.assert(
      fc.property(colours, (number) => {
        const style = ownColourStyle(`#${number.toString(16).padStart(6, '0')}`) ?? '';
        const grounds = [parse('#ffffff'), parse('#0f1c21')];
        const found = [...style.matchAll(/--water:(#\w{6});.*?--on-water:(#\w{6})/g)];
        expect(found.length).toBe(2);
        for (const [i, [, water = '', onWater = '']] of found.entries()) {
          const ground = grounds[i] ?? grounds[0];
          if (ground === undefined) continue;
          expect(contrast(parse(water), ground)).toBeGreaterThanOrEqual(4.5);
          expect(contrast(parse(water), parse(onWater))).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });

  it('is a colour or nothing', () => {
    for (const wrong of [null, '', 'red', '#12345', '#1234567', '#12345g', '#000000}x{'])
      expect(ownColourStyle(wrong)).toBeNull();
    expect(ownColourStyle('#0b5872')).toContain('--water:#0b5872;');
  });
});

describe('numbers and times', () => {
  const [en, zh] = [createFormat('en'), createFormat('zh')];
  const at = Date.UTC(2026, 10, 29, 14, 0, 30);

  it.each([
    [0, '0 B'],
    [9_999, '9,999 B'],
    [10_000, '10.0 kB'],
    [8_410_000, '8.41 MB'],
    [999_950_000, '1.00 GB'],
    [5e15, '5.00 PB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect([en.bytes(bytes), zh.bytes(bytes)]).toEqual([text, text]);
  });

  it('are in the language of the reader, and in UTC', () => {
    expect(en.count(37_748)).toBe('37,748');
    expect(toHtml(en.day(at))).toBe(
      '<time datetime="2026-11-29T14:00:30.000Z" data-time="day">29 Nov 2026</time>',
    );
    expect(toHtml(zh.day(at))).toContain('>2026年11月29日<');
    expect(toHtml(en.moment(at))).toMatch(/>Sun,? 29 Nov 2026,? 14:00 UTC</);
    expect(toHtml(zh.moment(at))).toMatch(/>2026年11月29日周日 14:00 UTC</);
  });

  it.each([
    [0, '1 second', '1秒钟'],
    [90, '1 minute', '1分钟'],
    [7200, '2 hours', '2小时'],
    [86_400 * 6, '6 days', '6天'],
  ])('%d seconds are %s', (seconds, english, chinese) => {
    expect([en.duration(seconds), zh.duration(seconds)]).toEqual([english, chinese]);
  });
});
