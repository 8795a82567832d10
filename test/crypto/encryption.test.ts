// Key wrapping and encrypted chunks, on Node.
import { encryptionContract } from '../contract/sealing.contract.ts';

encryptionContract('Node');
