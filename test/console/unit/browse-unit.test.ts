// The arithmetic of the folder's view without a browser: the scaled window, the treemap, what a
// path field understands, how rows are copied, names with signs that can't be seen.
import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../src/console/api/hide-secrets.ts';
import { type CopyFormat, lineOf } from '../../../src/console/views/browse/copy/copy-line.ts';
import {
  type Extent,
  HEIGHT_MAX_PX,
  heightPx,
  isAtFalseEnd,
  isJump,
  linesInView,
  lineTop,
  offsetOf,
  positionAfterScroll,
  positionAt,
  positionShowing,
  START,
} from '../../../src/console/views/browse/list/window.ts';
import { parsePlace } from '../../../src/console/views/browse/path/parse-place.ts';
import { shownName } from '../../../src/console/views/browse/shown-name.ts';
import { layOut } from '../../../src/console/views/browse/storage-map/treemap.ts';

describe('the window of a list', () => {
  const million: Extent = { lineCount: 1_000_000, linePx: 32, viewPx: 600 };
  const small: Extent = { lineCount: 100, linePx: 32, viewPx: 600 };

  it('scrolls a short list as the browser does', () => {
    expect(heightPx(small)).toBe(3200);
    const moved = positionAfterScroll(small, START, 320);
    expect(offsetOf(small, moved)).toBe(320);
    expect(linesInView(small, moved, 0)).toEqual({ first: 10, end: 29 });
    expect(linesInView(small, moved, 8)).toEqual({ first: 2, end: 37 });
    expect(linesInView(small, positionAt(small, 1e9), 8)).toEqual({ first: 73, end: 100 });
  });

  it('keeps a million rows below the height that browsers cut', () => {
    expect(heightPx(million)).toBe(HEIGHT_MAX_PX);
    const end = positionAt(million, Number.MAX_SAFE_INTEGER);
    expect(end.top).toBe(HEIGHT_MAX_PX - 600);
    expect(linesInView(million, end, 0).end).toBe(1_000_000);
  });

  it('goes to the same part of the list when the bar is dragged', () => {
    const middle = positionAfterScroll(million, START, (HEIGHT_MAX_PX - 600) / 2);
    expect(isJump(million, START, middle.top)).toBe(true);
    expect(linesInView(million, middle, 0).first).toBe(499_990);
  });

  it.each([0, 500, 5999, 8_000_000, 24_000_000, 31_994_000, 31_999_000, 31_999_400])(
    'goes to the %i pixels of the list that the bar stands for, also near its ends',
    (offset) => {
      const { top } = positionAt(million, offset);
      const before = positionAt(million, offset < 16_000_000 ? 20_000_000 : 10_000_000);
      const dragged = positionAfterScroll(million, before, top);
      // A pixel of the bar is some of the list, but not at its ends.
      const isNearEnd = offset < 6000 || offset > 31_993_400;
      const difference = Math.abs(offsetOf(million, dragged) - offset);
      expect(difference).toBeLessThanOrEqual(isNearEnd ? 0 : 5);
    },
  );

  it('moves by as many pixels as a wheel says, anywhere', () => {
    let position = positionAt(million, 16_000_000);
    for (let turn = 1; turn <= 50; turn++) {
      position = positionAfterScroll(million, position, position.top + 100);
      expect(offsetOf(million, position)).toBeCloseTo(16_000_000 + turn * 100, 5);
    }
    const line = linesInView(million, position, 0).first;
    expect(lineTop(million, position, line)).toBeCloseTo(line * 32 - position.shift, 5);
  });

  it('reaches both ends by steps alone', () => {
    let position = positionAt(million, 20_000);
    for (let steps = 0; offsetOf(million, position) > 0; steps++) {
      expect(steps).toBeLessThan(300);
      position = positionAfterScroll(million, position, Math.max(0, position.top - 100));
      if (isAtFalseEnd(million, position)) {
        position = positionAt(million, offsetOf(million, position));
      }
    }
    expect(position.top).toBe(0);
    expect(linesInView(million, position, 0).first).toBe(0);
  });

  it('shows a line with the least movement', () => {
    const at = positionAt(million, 3_200_000);
    expect(positionShowing(million, at, 100_005)).toBe(at);
    const below = positionShowing(million, at, 100_020);
    expect(offsetOf(million, below)).toBeCloseTo(100_021 * 32 - 600, 5);
    const far = positionShowing(million, at, 999_999);
    expect(linesInView(million, far, 0).end).toBe(1_000_000);
    expect(offsetOf(million, positionShowing(million, far, 0))).toBe(0);
  });
});

it('33: a map lays out areas in proportion, inside the whole, without an overlap', () => {
  const values = [60, 30, 20, 10, 5, 5, 1];
  const whole = { x: 0, y: 0, width: 400, height: 300 };
  const boxes = layOut(values, whole);
  const sum = values.reduce((total, value) => total + value, 0);
  for (const [at, { x, y, width, height }] of boxes.entries()) {
    expect(width * height).toBeCloseTo(((values[at] ?? 0) / sum) * 120_000, 3);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(400.001);
    expect(y + height).toBeLessThanOrEqual(300.001);
    for (const other of boxes.slice(0, at)) {
      const isBeside = other.x + other.width <= x + 0.001 || other.y + other.height <= y + 0.001;
      expect(isBeside || other.x >= x + width - 0.001 || other.y >= y + height - 0.001).toBe(true);
    }
  }
  expect(layOut([], whole)).toEqual([]);
  expect(layOut([0], whole)).toEqual([]);
});

it('27: the path bar reads s3://, ARNs, URLs and plain paths', () => {
  const hosts = { own: 'localhost:9000', base: '/-/console', baseDomain: 'storage.example.org' };
  const place = (text: string) => parsePlace(text, hosts);
  const aB = { bucket: 'photos', key: 'a/b.jpg' };
  expect(place('s3://photos/a/b.jpg')).toEqual(aB);
  expect(place(' arn:aws:s3:::photos/a/b.jpg ')).toEqual(aB);
  expect(place('photos/a/b.jpg')).toEqual(aB);
  expect(place('/photos/a/b.jpg')).toEqual(aB);
  expect(place('http://localhost:9000/photos/a/b.jpg?X-Amz-Date=1')).toEqual(aB);
  expect(place('http://localhost:9000/-/console/b/photos/a/b.jpg')).toEqual(aB);
  expect(place('http://localhost:9000/-/console/b/photos/?prefix=a%2F..%2F')).toEqual({
    bucket: 'photos',
    key: 'a/../',
  });
  expect(place('https://photos.storage.example.org/a/b.jpg')).toEqual(aB);
  expect(place('https://photos.s3.eu-west-1.amazonaws.com/a/b.jpg')).toEqual(aB);
  expect(place('https://s3.amazonaws.com/photos/a/b.jpg')).toEqual(aB);
  expect(place('https://localhost:9000/photos/100%.txt')).toEqual({
    bucket: 'photos',
    key: '100%.txt',
  });
  expect(place('photos')).toEqual({ bucket: 'photos', key: '' });
  for (const text of ['', 's3://', 'two words', 'https://', '//x']) expect(place(text)).toBeNull();
});

it('92: every form quotes names and URLs', () => {
  const copied = { key: "d/it's [a] <b>.txt", url: 'https://h/b/it%27s?x=1&y="2"' };
  const line = (format: CopyFormat) => lineOf('photos', copied, format);
  expect(line('url')).toBe(copied.url);
  expect(line('s3')).toBe("s3://photos/d/it's [a] <b>.txt");
  expect(line('path')).toBe(copied.key);
  expect(line('curl')).toBe(`curl -o 'it'\\''s [a] <b>.txt' 'https://h/b/it%27s?x=1&y="2"'`);
  expect(line('markdown')).toBe(`[it's \\[a\\] \\<b\\>.txt](<${copied.url}>)`);
  const hostile = { key: '<img src=x>\n# `a', url: 'https://h/b/x' };
  expect(lineOf('photos', hostile, 'markdown')).toBe('[\\<img src=x\\> # \\`a](<https://h/b/x>)');
  expect(line('html')).toBe(
    `<a href="https://h/b/it%27s?x=1&amp;y=&quot;2&quot;">it's [a] &lt;b&gt;.txt</a>`,
  );
});

it('the page hides every secret of a body that is shown as a call', () => {
  const secrets = ['password', 'currentPassword', 'newPassword', 'secretAccessKey', 'secret'];
  for (const name of secrets) {
    const body = JSON.stringify({ login: 'ada', [name]: 'a "quoted\\" one', endTokens: true });
    expect(JSON.parse(hideSecrets(body))).toEqual({ login: 'ada', [name]: '…', endTokens: true });
  }
});

it('the page shows what can not be seen in a name', () => {
  expect(shownName(' a  b ')).toBe('␣a␣␣b␣');
  expect(shownName('rtl\u202egpj.exe')).toBe('rtl⟨U+202E⟩gpj.exe');
  expect(shownName('tab\there\u0085')).toBe('tab␉here⟨U+0085⟩');
  expect(shownName('   ')).toBe('␣␣␣');
  expect(shownName('港口 one.jpg')).toBe('港口 one.jpg');
});
