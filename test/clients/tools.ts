// The tools of `npm run clients`: what each script of this folder needs, and how a user installs
// that. run.ts prints it beside a skipped script, scripts/s3-compatibility.ts has it on its page.
// Programs are found on PATH, Python packages by the `python3` there (the `bin` of a venv may come
// first). Libraries that no search path finds are named by the environment variables of LIBRARIES.

/** One script `{name}.sh`: programs that must be on PATH, and a command or sentence to install. */
type Tool = { readonly programs: readonly string[]; readonly install: string };

/** Environment variables that name libraries; scripts find them empty where nobody set them. */
export const LIBRARIES = [
  'MINIO_JS_FOLDER',
  'TUS_JS_FOLDER',
  'AWS_SDK_CLASSPATH',
  'HADOOP_CLASSPATH',
] as const;

const apt = (name: string) => `\`apt install ${name}\``;
const pip = (name: string) => `\`pip install ${name}\``;
const npm = (name: string) => `\`npm install --global ${name}\``;
const go = (path: string) => `\`go install ${path}@latest\``;

export const TOOLS: Readonly<Record<string, Tool>> = {
  'aws-cli': { programs: ['aws'], install: pip('awscli') },
  boto3: { programs: ['python3'], install: pip('boto3') },
  'delta-rs': { programs: ['python3'], install: pip('deltalake pyarrow') },
  'hadoop-s3a': {
    programs: ['java', 'javac'],
    install:
      'a JDK; `HADOOP_CLASSPATH`: what `hadoop classpath` prints where hadoop-aws is on it, or ' +
      'the jars of hadoop-client-api, hadoop-client-runtime, hadoop-aws, commons-lang3 and ' +
      'commons-collections 3 with what they depend on (`mvn dependency:copy-dependencies`)',
  },
  hosting: { programs: ['aws', 'curl'], install: `${pip('awscli')}, ${apt('curl')}` },
  'java-sdk': {
    programs: ['java', 'javac'],
    install:
      'a JDK; `AWS_SDK_CLASSPATH`: the jars of software.amazon.awssdk:s3 with what they depend ' +
      'on (`mvn dependency:copy-dependencies`)',
  },
  kopia: { programs: ['kopia', 'curl'], install: go('github.com/kopia/kopia') },
  lancedb: { programs: ['python3'], install: pip('lancedb') },
  litestream: {
    programs: ['litestream', 'curl'],
    install: go('github.com/benbjohnson/litestream/cmd/litestream'),
  },
  mc: { programs: ['mc', 'curl'], install: go('github.com/minio/mc') },
  'minio-go': {
    programs: ['go'],
    install: 'Go; `go mod download` in test/clients/minio-go brings the library',
  },
  'minio-js': {
    programs: ['curl'],
    install: '`npm install minio`; `MINIO_JS_FOLDER`: the folder where that was done',
  },
  'minio-py': { programs: ['python3'], install: pip('minio') },
  rclone: { programs: ['rclone'], install: apt('rclone') },
  registry: {
    programs: ['registry', 'curl'],
    install: go('github.com/distribution/distribution/v3/cmd/registry'),
  },
  restic: {
    programs: ['restic'],
    install: `${apt('restic')}; newest: ${go('github.com/restic/restic/cmd/restic')}`,
  },
  resume: {
    programs: ['curl'],
    install: `${apt('curl')}; takes wget, aws and rclone where they are`,
  },
  s3cmd: { programs: ['s3cmd'], install: pip('s3cmd') },
  s3fs: { programs: ['s3fs', 'fusermount', 'mountpoint', 'curl'], install: apt('s3fs') },
  s5cmd: { programs: ['s5cmd', 'curl'], install: go('github.com/peak/s5cmd/v2') },
  'sdk-bun': { programs: ['bun'], install: npm('bun') },
  'sdk-deno': { programs: ['deno'], install: npm('deno') },
  'tus-js': {
    programs: ['bash'],
    install: '`npm install tus-js-client`; `TUS_JS_FOLDER`: the folder where that was done',
  },
};
