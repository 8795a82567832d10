// Loaded before each test file of the Node project (vitest.config.ts), so that its hook runs after
// all hooks of the file, which close what still uses the folders. In temporary-folder.ts it would
// be registered for the first file of a process alone.
import { afterAll } from 'vitest';
import { removeFolders } from './temporary-folder.ts';

afterAll(removeFolders);
