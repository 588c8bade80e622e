import { redirectTemporaryFiles } from "../test/support/run/scratch.ts";

const BENCHES: Record<string, () => Promise<void>> = {
  backup: async () => (await import("./backup.ts")).benchBackup(),
  citus: async () => (await import("./citus.ts")).benchCitus(),
  files: async () => (await import("./files.ts")).benchFiles(),
  graphql: async () => (await import("./graphql/bench.ts")).benchGraphql(),
  "graphql-probes": async () => (await import("./graphql/probes.ts")).benchProbes(),
  hooks: async () => (await import("./ingest/hooks.ts")).benchHooks(),
  inbox: async () => (await import("./inbox/bench.ts")).benchInbox(),
  import: async () => (await import("./work/import.ts")).benchImport(),
  ingest: async () => (await import("./ingest/bench.ts")).benchIngest(),
  login: async () => (await import("./login.ts")).benchLogin(),
  mcp: async () => (await import("./mcp.ts")).benchMcp(),
  noisy: async () => (await import("./noisy/bench.ts")).benchNoisy(),
  redaction: async () => (await import("./redaction.ts")).benchRedaction(),
  realtime: async () => (await import("./realtime/bench.ts")).benchRealtime(),
  scale: async () => (await import("./scale/bench.ts")).benchScale(),
  "scale-embedded": async () => (await import("./scale/embedded.ts")).benchScaleEmbedded(),
  searches: async () => (await import("./searches.ts")).benchSearches(),
  "sign-ins": async () => (await import("./sign-ins.ts")).benchSignIns(),
  soak: async () => (await import("./soak/soak.ts")).benchSoak(),
  spans: async () => (await import("./ingest/spans.ts")).benchSpans(),
  start: async () => (await import("./start.ts")).benchStart(),
  tasks: async () => (await import("./tasks/bench.ts")).benchTasks(),
  transcripts: async () => (await import("./work/transcripts.ts")).benchTranscripts(),
  web: async () => (await import("./web/bench.ts")).benchWeb(),
  work: async () => (await import("./work/bench.ts")).benchWork(),
};

const name = process.argv[2] ?? "";
redirectTemporaryFiles();
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench) await bench();
else {
  console.error(`npm run bench -- NAME, where NAME is one of: ${Object.keys(BENCHES).join(", ")}`);
  process.exitCode = 2;
}
