import { encryptionContract } from '../../contract/sealing.contract.ts';

encryptionContract('workerd');
