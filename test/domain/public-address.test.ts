// Which addresses and hosts are of the public internet.
import { describe, expect, it } from 'vitest';
import { isPublicAddress, mayBePublicHost } from '../../src/domain/public-address.ts';

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::8a',
  ])('takes %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ['this host', '0.0.0.0'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, and metadata of AWS, GCP, Azure', '169.254.169.254'],
    ['CGNAT, and metadata of Alibaba', '100.100.100.200'],
    ['metadata of Azure', '168.63.129.16'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['documentation', '203.0.113.7'],
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1'],
    ['IPv4 in IPv6, in hex', '::ffff:7f00:1'],
    ['IPv4 in IPv6, the old way', '::127.0.0.1'],
    ['NAT64 of a private address', '64:ff9b::10.0.0.1'],
    ['6to4 of a private address', '2002:0a00:0001::1'],
    ['Teredo', '2001:0:1::1'],
    ['unique local, and metadata of AWS', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['no address', 'example.com'],
    ['no address', ''],
    ['octal', '0177.0.0.1'],
  ])('refuses %s: %s', (_kind, address) => expect(isPublicAddress(address)).toBe(false));
});

describe('mayBePublicHost', () => {
  const hostOf = (url: string) => new URL(url).hostname;

  it.each([
    'https://hooks.example.com/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://example.com./',
  ])('takes %s', (url) => expect(mayBePublicHost(hostOf(url))).toBe(true));

  it.each([
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://intranet/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://127.0.0.1./',
  ])('refuses %s', (url) => expect(mayBePublicHost(hostOf(url))).toBe(false));
});
