// Tells the type checker what `env` of cloudflare:workers holds in these tests.
declare namespace Cloudflare {
  type Env = import('../../src/adapters/cloudflare/env.ts').WorkerEnv;
}
