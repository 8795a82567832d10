// Requests and connections to a target by its scheme. A target over TLS shows a certificate of its
// own making, at hosts of every name: who it is is not what the suite examines.
import { type Agent, type AgentOptions, Agent as PlainAgent, request } from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const isTls = (url: string) => new URL(url).protocol === 'https:';

/** `request` of node:http or node:https; the options are those of node:http. */
export function requestOf(url: string): typeof request {
  return isTls(url) ? requestTls : request;
}

/** Keeps connections to a target. */
export function createAgent(url: string, options: AgentOptions): Agent {
  return isTls(url) ? new TlsAgent(options) : new PlainAgent(options);
}

/** Resolves with a connection to a target, over which HTTP/1.1 can be spoken. */
export async function openConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const address = { host: hostname, port: Number(port) };
  const [socket, opened] = isTls(url)
    ? ([connectTls({ ...address, rejectUnauthorized: false }), 'secureConnect'] as const)
    : ([connect(address), 'connect'] as const);
  await new Promise<void>((resolve, reject) => socket.once(opened, resolve).once('error', reject));
  return socket;
}

/** What curl needs to trust a target. */
export function curlTrust(url: string): readonly string[] {
  return isTls(url) ? ['--insecure'] : [];
}
