import { ConfigError, readConfig } from "./config.ts";
import { serveStdio } from "./stdio.ts";
import { USAGE } from "./usage.ts";

const args = process.argv.slice(2);

try {
  await run(args);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`trackway-mcp: ${error.message}\n`);
  process.exitCode = 2;
}

/** Runs one command; without a command, serves over stdio. */
async function run([command, ...rest]: string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) process.stdout.write(USAGE);
  else if (command === "http") await (await import("./http/serve.ts")).serveHttp(readConfig(rest, process.env));
  else if (command === "check") await (await import("./check.ts")).check(readConfig(rest, process.env));
  else await serveStdio(readConfig(args, process.env));
}
