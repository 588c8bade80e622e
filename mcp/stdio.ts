import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { type Config, ConfigError } from "./config.ts";
import { dualEra } from "./eras/dual-era.ts";
import { createServer } from "./server.ts";
import { openSession } from "./session.ts";

/** How long answers still under way may take once stdin has ended. */
const GRACE_MS = 700;

/** Serves the process's own keys over stdin and stdout until stdin ends. */
export async function serveStdio(config: Config): Promise<void> {
  const { apiKey, ingestKey } = config;
  if (apiKey === undefined) {
    throw new ConfigError(
      "TRACKER_API_KEY is required. Create a key with POST /api/api-keys, or use the one printed at first start",
    );
  }
  const session = openSession(config, { apiKey, ingestKey, selection: config.ceiling });
  const transport = dualEra(new StdioServerTransport());
  await createServer(session).connect(transport);
  process.stdin.once("end", () => {
    const end = () => process.stdout.write("", () => process.exit(0));
    transport.idle().then(end);
    setTimeout(end, GRACE_MS).unref();
  });
  // A client that went away without closing stdin.
  process.stdout.on("error", () => process.exit(0));
}
