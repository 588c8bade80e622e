import { isSystemError, toErrorLine } from "../system/places.ts";
import { endWithoutOutput, guardStreams, writeResult } from "../system/streams.ts";
import { ConfigError, readConfig } from "./config.ts";
import { DEFAULT_TOOLSETS, TOOLSETS } from "./registry/define-tool.ts";
import { serveStdio } from "./stdio.ts";

const USAGE = `Usage: trackway-mcp [http | check] [flags]

  trackway-mcp          serves MCP over stdin and stdout, for a client that starts it
  trackway-mcp http     serves MCP at http://127.0.0.1:4100/mcp; every request brings its own key
  trackway-mcp check    says whether server, key and ingest key work, and what to change if not

Flags, and the variables they stand for:
  --url <address>       TRACKER_URL       where Trackway answers (http://127.0.0.1:4000)
  --toolsets <names>    TRACKER_TOOLSETS  ${TOOLSETS.join(", ")} or all (${DEFAULT_TOOLSETS.join(",")})
  --tools <names>       TRACKER_TOOLS     single tools
  --read-only           TRACKER_READ_ONLY only tools that read
  --capture             TRACKER_CAPTURE   record this server's own calls
  --host <address>      MCP_HOST          http only (127.0.0.1)
  --port <number>       MCP_PORT          http only (4100)

Keys are variables alone: TRACKER_API_KEY (trk_api_..., required over stdio) and TRACKER_INGEST_KEY (sk_...).
More in docs/mcp.md.
`;

const args = process.argv.slice(2);

guardStreams((error, result) => {
  // The client closed the pipe.
  if (error.code === "EPIPE") process.exit(0);
  endWithoutOutput("trackway-mcp", error, result);
});
try {
  await run(args);
} catch (error) {
  if (!(error instanceof ConfigError || isSystemError(error))) throw error;
  process.stderr.write(`trackway-mcp: ${isSystemError(error) ? toErrorLine(error) : error.message}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}

/** Runs one command. Without a command, the program serves MCP over stdio. */
async function run([command, ...rest]: string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) writeResult(USAGE);
  else if (command === "http") await (await import("./http/serve.ts")).serveHttp(readConfig(rest, process.env));
  else if (command === "check")
    await (await import("./check.ts")).printConfigurationCheck(readConfig(rest, process.env));
  else await serveStdio(readConfig(args, process.env));
}
