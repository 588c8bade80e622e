import { ConfigError } from "./config.ts";

/** Runs `start`; a configuration it cannot run with becomes one line on stderr and exit code 2. */
export async function startOrExit(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`trackway-mcp: ${error.message}\n`);
    process.exitCode = 2;
  }
}
