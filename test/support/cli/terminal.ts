import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { dirname, resolve } from "node:path";
import type { CliUser } from "./cli.ts";

/** `script` of util-linux runs a command in a terminal of its own. */
export const hasScript = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

/**
 * Runs the command line in a terminal of 120 columns. Resolves with everything that the terminal showed.
 * @param shown is called with the output until then each time there is more
 */
export async function runInTerminal(
  { home }: Pick<CliUser, "home">,
  args: string,
  shown: (screen: string, child: ChildProcess) => void = () => {},
): Promise<{ code: number | null; screen: string }> {
  const env = { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TERM: "xterm" };
  // A terminal without a size has no width, so each letter would be a line.
  const command = `stty cols 120 rows 40; ${resolve("trackway")} ${args}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { env, cwd: home });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    shown(screen, child);
  });
  const [code] = await once(child, "close");
  return { code, screen };
}
