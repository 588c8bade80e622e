// @ts-check
// Runs command lines one after the other in one process, which loads the CLI once. Each command has an environment, a
// folder and standard streams of its own, as in a separate process.
import { Readable } from "node:stream";

/** @typedef {{ args: string[], env: Record<string, string>, cwd: string, input: string }} Asked */

/** @type {{ runCommandLine(args: readonly string[]): Promise<number | undefined> }} */
const { runCommandLine } = await import(new URL("../../../dist/cli/run.js", import.meta.url).href);
const inherited = { stdin: process.stdin, stdout: process.stdout.write, stderr: process.stderr.write };

/** @param {Asked} asked */
async function answer({ args, env, cwd, input }) {
  const ran = { code: 0, stdout: "", stderr: "" };
  process.chdir(cwd);
  process.env = { ...env };
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  for (const name of /** @type {const} */ (["stdout", "stderr"])) {
    process[name].write = (/** @type {string | Uint8Array} */ text) => {
      ran[name] += typeof text === "string" ? text : Buffer.from(text).toString("utf8");
      return true;
    };
  }
  try {
    ran.code = (await runCommandLine(args)) ?? Number(process.exitCode ?? 0);
  } catch (error) {
    // Exits as Node.js does after an uncaught error.
    ran.code = 1;
    ran.stderr += `${error instanceof Error ? error.stack : error}\n`;
  }
  process.exitCode = undefined;
  Object.assign(process.stdout, { write: inherited.stdout });
  Object.assign(process.stderr, { write: inherited.stderr });
  return ran;
}

process.on("message", async (/** @type {Asked} */ asked) => process.send?.(await answer(asked)));
