// Tells the type checker what `env` and `exports` of cloudflare:workers hold in these tests.
declare namespace Cloudflare {
  type Env = import('../../src/adapters/cloudflare/env.ts').WorkerEnv;
  type GlobalProps = { mainModule: typeof import('../../src/worker.ts') };
}
