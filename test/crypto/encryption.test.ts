// Key wrapping and encrypted chunks, on Node.
import { sealingContract } from '../contract/sealing.contract.ts';

sealingContract('Node');
