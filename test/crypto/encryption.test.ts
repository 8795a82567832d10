import { sealingContract } from '../contract/sealing.contract.ts';

sealingContract('Node');
