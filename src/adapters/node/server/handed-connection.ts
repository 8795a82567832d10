// A connection between two threads of the process, as a stream: what one end writes
// the other reads. threads/handed-requests.ts opens one for a request that the first
// thread is for; its server takes the other end as if a client had connected.
import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/** The client at the far side of the thread that has its connection. */
export type HandedPeer = {
  readonly remoteAddress: string | undefined;
  readonly localAddress: string | undefined;
  readonly isEncrypted: boolean;
};

/** Bytes; that earlier bytes were taken; that no more will come. */
type HandedMessage = Uint8Array<ArrayBuffer> | 'taken' | 'end';

export class HandedConnection extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly localAddress: string | undefined;
  readonly isEncrypted: boolean;
  readonly #port: MessagePort;
  /** Called when the far end has taken what was written. */
  #written: (() => void) | null = null;
  /** Bytes of the write under way. */
  #writingBytes = 0;
  #takenBytes = 0;
  /** Whether the far end waits for this one to read. */
  #owesTaken = false;

  constructor(port: MessagePort, { remoteAddress, localAddress, isEncrypted }: HandedPeer) {
    super({
      allowHalfOpen: true,
      write: (chunk: Buffer, _encoding, callback) => {
        this.#written = callback;
        this.#writingBytes = chunk.length;
        const bytes = new Uint8Array(chunk);
        port.postMessage(bytes, [bytes.buffer]);
      },
      final(callback) {
        port.postMessage('end' satisfies HandedMessage);
        callback();
      },
      read: () => this.#sayTaken(),
      destroy(error, callback) {
        port.close();
        callback(error);
      },
    });
    this.remoteAddress = remoteAddress;
    this.localAddress = localAddress;
    this.isEncrypted = isEncrypted;
    this.#port = port;
    port.on('message', (message: HandedMessage) => this.#receive(message));
    // The far end is closed or its thread has died.
    port.on('close', () => void this.destroy());
  }

  /**
   * Bytes that the far end has taken. What a client took of a response that broke off
   * is known by this number, as by that of node:net's sockets.
   */
  get bytesWritten(): number {
    return this.#takenBytes;
  }

  /** Ends it once all that was written has gone out, as node:net's sockets do. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => void this.destroy());
  }

  #sayTaken(): void {
    if (!this.#owesTaken) return;
    this.#owesTaken = false;
    this.#port.postMessage('taken' satisfies HandedMessage);
  }

  #receive(message: HandedMessage): void {
    if (message === 'taken') {
      const written = this.#written;
      this.#written = null;
      this.#takenBytes += this.#writingBytes;
      written?.();
    } else if (message === 'end') {
      this.push(null);
    } else {
      this.#owesTaken = true;
      if (this.push(Buffer.from(message.buffer))) this.#sayTaken();
    }
  }
}
