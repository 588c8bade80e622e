import { redirectTemporaryFiles } from "../test/support/run/scratch.ts";

/** The tortures of `npm run torture -- NAME`. Each resolves to true when the database held. */
const TORTURES: Record<string, () => Promise<boolean>> = {
  claims: async () => (await import("./work/torture.ts")).tortureClaims(),
  embedded: async () => (await import("./embedded/torture.ts")).tortureEmbedded(),
  ingest: async () => (await import("./ingest/torture.ts")).tortureIngest(),
  servers: async () => (await import("./servers/torture.ts")).tortureServers(),
  silence: async () => (await import("./work/silence.ts")).tortureSilence(),
  upgrade: async () => (await import("./upgrade/torture.ts")).tortureUpgrade(),
  webhooks: async () => (await import("./webhooks/torture.ts")).tortureWebhooks(),
};

const name = process.argv[2] ?? "";
redirectTemporaryFiles();
const torture = Object.hasOwn(TORTURES, name) ? TORTURES[name] : undefined;
if (torture) process.exit((await torture()) ? 0 : 1);
console.error(`npm run torture -- NAME, where NAME is one of: ${Object.keys(TORTURES).join(", ")}`);
process.exit(2);
