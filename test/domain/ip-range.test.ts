// Networks of addresses, as limits count clients.
import { expect, it } from 'vitest';
import { networkOf, parseIp } from '../../src/domain/ip-range.ts';

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
