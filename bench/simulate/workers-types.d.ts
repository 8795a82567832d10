// What the adapters of Cloudflare that the simulator runs need of the runtime, as far as the
// simulator offers it. The whole types are checked with tsconfig.workers.json.
declare type KVNamespace = {
  get(
    name: string,
    options: { readonly type: 'text'; readonly cacheTtl: number },
  ): Promise<string | null>;
  put(name: string, text: string, options: { readonly expirationTtl: number }): Promise<void>;
};
