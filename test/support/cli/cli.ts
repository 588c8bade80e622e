import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Tenant } from "../server.ts";
import { type CommandContext, type CommandResult, runCli } from "./cli-run.ts";

/** User at a separate machine: a home folder, and the command line that runs there. */
export interface CliUser {
  home: string;
  path(name: string): string;
  read(name: string): string;
  write(name: string, text: string): void;
  has(name: string): boolean;
  /** Permissions of a file, such as 600. */
  mode(name: string): string;
  /** Content of every file in the home folder, without Trackway's own folder. */
  files(): Record<string, string>;
  run(args: string[], more?: CommandContext): Promise<CommandResult>;
}

/** Creates a user with an empty home folder. No agent's executable is on the user's path. */
export function createCliUser(): CliUser {
  const home = mkdtempSync(join(tmpdir(), "trackway-cli-"));
  const path = (name: string) => join(home, name);
  const read = (name: string) => readFileSync(path(name), "utf8");
  return {
    home,
    path,
    read,
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    has: (name) => existsSync(path(name)),
    mode: (name) => (statSync(path(name)).mode & 0o777).toString(8),
    files: () =>
      Object.fromEntries(
        readdirSync(home, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
          .filter((name) => !name.startsWith(".config/trackway/"))
          .map((name) => [name, read(name)]),
      ),
    run: (args, more) => runCli(home, args, more),
  };
}

/** Creates a user who has signed in to an organization as the owner. */
export async function createSignedInUser({ url, email, password }: Tenant): Promise<CliUser> {
  const person = createCliUser();
  const { code, stderr } = await person.run(["login", url, "--email", email, "--password-stdin"], { input: password });
  if (code !== 0) throw new Error(`login ended with ${code}: ${stderr}`);
  return person;
}

/** The command line as an agent runs it, authenticated only by a key in the environment. */
export interface AgentShell {
  home: string;
  /** Runs a command that may fail. */
  run(args: string[], more?: CommandContext): Promise<CommandResult>;
  /** Runs a command that must succeed. Returns the output. */
  says(...args: string[]): Promise<string>;
  /** Runs a command with `--json`. Returns the parsed output. */
  tells(...args: string[]): Promise<any>;
}

/** Creates a shell with a key. Without `home`, the shell gets a home folder of its own. */
export function createAgentShell(url: string, apiKey: string, { home }: { home?: string } = {}): AgentShell {
  const person = createCliUser();
  const folder = home ?? person.home;
  const run: AgentShell["run"] = (args, { input = "", env = {} } = {}) =>
    runCli(folder, args, { input, env: { TRACKWAY_URL: url, TRACKWAY_API_KEY: apiKey, ...env } });
  const says: AgentShell["says"] = async (...args) => {
    const { code, stdout, stderr } = await run(args);
    if (code !== 0) throw new Error(`trackway ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return { home: folder, run, says, tells: async (...args) => JSON.parse(await says(...args, "--json")) };
}
