import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Tenant } from "../server.ts";
import { type Given, type Ran, runCli } from "./cli-run.ts";

/** Somebody at a machine of their own: a home folder, and the command line as it is run there. */
export interface Person {
  home: string;
  path(name: string): string;
  read(name: string): string;
  write(name: string, text: string): void;
  has(name: string): boolean;
  /** The rights of a file, such as 600. */
  mode(name: string): string;
  /** Every file in the home folder with what stands in it, but for Trackway's own folder. */
  files(): Record<string, string>;
  run(args: string[], more?: Given): Promise<Ran>;
}

/** A person who has nothing yet. No program of an agent is on their path. */
export function somebody(): Person {
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

/** Somebody who has logged in to an organization as its owner. */
export async function loggedIn({ url, email, password }: Tenant): Promise<Person> {
  const person = somebody();
  const { code, stderr } = await person.run(["login", url, "--email", email, "--password-stdin"], { input: password });
  if (code !== 0) throw new Error(`login ended with ${code}: ${stderr}`);
  return person;
}

/** The command line as an agent runs it, by a key of its environment alone. */
export interface Shell {
  home: string;
  /** Runs a command, whatever becomes of it. */
  run(args: string[], more?: Given): Promise<Ran>;
  /** Runs one that must do its work; answers what it wrote. */
  says(...args: string[]): Promise<string>;
  /** The same with --json, read. */
  tells(...args: string[]): Promise<any>;
}

/** A shell with a key, in a home folder of its own unless one is shared. */
export function shellOf(url: string, apiKey: string, { home }: { home?: string } = {}): Shell {
  const person = somebody();
  const folder = home ?? person.home;
  const run: Shell["run"] = (args, { input = "", env = {} } = {}) =>
    runCli(folder, args, { input, env: { TRACKWAY_URL: url, TRACKWAY_API_KEY: apiKey, ...env } });
  const says: Shell["says"] = async (...args) => {
    const { code, stdout, stderr } = await run(args);
    if (code !== 0) throw new Error(`trackway ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return { home: folder, run, says, tells: async (...args) => JSON.parse(await says(...args, "--json")) };
}
