// Addresses and their ranges, to the bit, and the networks by which limits count clients.
import { expect, it } from 'vitest';
import { isInRange, networkOf, parseIp, parseIpRange } from '../../src/domain/ip-range.ts';

const hex = (text: string) => parseIp(text)?.map((byte) => byte.toString(16)) ?? null;

it.each([
  ['1:2:3:4:5:6:7:8', '0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8'],
  ['::', '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'],
  ['1::8', '0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 8'],
  ['1:2:3:4:5:6:7::', '0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 0'],
  ['::1.2.3.4', '0 0 0 0 0 0 0 0 0 0 0 0 1 2 3 4'],
  ['::ffff:1.2.3.4', '1 2 3 4'],
  ['::ff00:102:304', '0 0 0 0 0 0 0 0 0 0 ff 0 1 2 3 4'],
  ['::ff:102:304', '0 0 0 0 0 0 0 0 0 0 0 ff 1 2 3 4'],
  ['1::ffff:102:304', '0 1 0 0 0 0 0 0 0 0 ff ff 1 2 3 4'],
  ['fe80::1%eth0', 'fe 80 0 0 0 0 0 0 0 0 0 0 0 0 0 1'],
  ['192.0.2.255', 'c0 0 2 ff'],
])('%s is an address', (text, bytes) => expect(hex(text)?.join(' ')).toBe(bytes));

it.each([
  '1::2::3',
  '::1::',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7:8::',
  '1.2.3.4::',
  '1.2.3.4:5::',
  '12345::',
  '1.2.3',
  '1.2.3.256',
  '01.2.3.4',
  '',
])('%j is no address', (text) => expect(parseIp(text)).toBe(null));

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::ffff:2', '2001:db8:0:0::/64'],
  ['2001:0DB8:0:0:9::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['a socket', 'a socket'],
  [null, 'unknown'],
])('%s counts on %s', (address, network) => expect(networkOf(address)).toBe(network));

const isIn = (address: string, range: string) => {
  const [bytes, parsed] = [parseIp(address), parseIpRange(range)];
  return bytes !== null && parsed !== null && isInRange(bytes, parsed);
};

it.each([
  ['0.0.0.0/0', '0.0.0.0', '255.255.255.255'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['10.9.8.7/8', '10.0.0.0', '10.255.255.255'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255'],
  ['192.0.2.128/25', '192.0.2.128', '192.0.2.255'],
  ['192.0.2.4/31', '192.0.2.4', '192.0.2.5'],
  ['192.0.2.4/32', '192.0.2.4', '192.0.2.4'],
  ['192.0.2.4', '192.0.2.4', '192.0.2.4'],
  ['::/0', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::/33', '2001:db8::', '2001:db8:7fff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::8/127', '2001:db8::8', '2001:db8::9'],
])('%s has all from %s to %s', (range, first, last) => {
  expect([isIn(first, range), isIn(last, range)]).toEqual([true, true]);
});

it.each([
  ['10.0.0.0/8', '9.255.255.255', '11.0.0.0'],
  ['172.16.0.0/12', '172.15.255.255', '172.32.0.0'],
  ['192.0.2.128/25', '192.0.2.127', '192.0.3.0'],
  ['192.0.2.4/31', '192.0.2.3', '192.0.2.6'],
  ['192.0.2.4', '192.0.2.3', '192.0.2.5'],
  ['2001:db8::/33', '2001:db7:ffff::', '2001:db8:8000::'],
  ['2001:db8::8/127', '2001:db8::7', '2001:db8::a'],
])('%s has neither %s nor %s', (range, before, after) => {
  expect([isIn(before, range), isIn(after, range)]).toEqual([false, false]);
});

it('IPv4 and IPv6 never meet in a range, but IPv4 is itself in IPv6 clothes', () => {
  expect([isIn('::', '0.0.0.0/0'), isIn('10.0.0.1', '::/0')]).toEqual([false, false]);
  expect(isIn('::ffff:10.1.2.3', '10.0.0.0/8')).toBe(true);
});

const UNREADABLE = '10.0.0.0/33 ::/129 10.0.0.0/ 10.0.0.0/-1 10.0.0.0/8/8 /8 10/8 ::/1e1';

it.each(UNREADABLE.split(' '))('%s is no range', (text) => expect(parseIpRange(text)).toBe(null));
