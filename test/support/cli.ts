import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { run } from "../../cli/run.ts";
import type { Tenant } from "./server.ts";

/** How a command ended. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

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
  run(args: string[], more?: { input?: string; env?: Record<string, string> }): Promise<Ran>;
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

async function runCli(
  home: string,
  args: string[],
  { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const child = spawn(process.execPath, [resolve("cli/bin.js"), ...args], {
    cwd: home,
    env: { HOME: home, PATH: path, ...env },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
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
  run(args: string[], more?: { input?: string; env?: Record<string, string> }): Promise<Ran>;
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

/** The same in this very process, for tests of many commands: no process is started. */
export async function inProcess(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const before = { ...process.env };
  const { write: toStdout } = process.stdout;
  const { write: toStderr } = process.stderr;
  const ran: Ran = { code: 0, stdout: "", stderr: "" };
  const into = (stream: "stdout" | "stderr") => (text: string | Uint8Array) => {
    ran[stream] += String(text);
    return true;
  };
  try {
    for (const name of Object.keys(before)) if (name.startsWith("TRACKWAY_")) delete process.env[name];
    Object.assign(process.env, env);
    process.stdout.write = into("stdout");
    process.stderr.write = into("stderr");
    ran.code = (await run(args)) ?? Number(process.exitCode ?? 0);
    return ran;
  } finally {
    process.stdout.write = toStdout;
    process.stderr.write = toStderr;
    process.exitCode = undefined;
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
