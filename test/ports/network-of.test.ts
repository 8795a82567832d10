import { expect, it } from 'vitest';
import { networkOf } from '../../src/domain/ip-range.ts';

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
