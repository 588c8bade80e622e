import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CommandFailure } from "../../failure.ts";
import type { UserEnvironment } from "../../files/places.ts";
import { appendTables, removeTables, toTomlString } from "../../files/toml.ts";
import { readFileIfExists, writeSettingsFile } from "../../files/whole-file.ts";
import { VERSION } from "../../version.ts";
import type { PostConnectNote } from "../agent.ts";

/** A hook in Codex's list of hooks. */
interface CodexHook {
  key: string;
  command?: string;
  currentHash: string;
  trustStatus: string;
}

const DEADLINE_MS = 10_000;
const BY_HAND = "Codex runs only trusted hooks. Start codex, type /hooks, and trust the hooks of Trackway.";

/**
 * Marks Trackway's hooks as trusted in Codex. The user has agreed to this change by confirming the connection. Codex
 * reports a hash for each hook and stores the hashes of trusted hooks in its configuration file. Other hooks stay
 * unchanged.
 */
export async function trustHooks(
  places: UserEnvironment,
  path: string,
  isOurs: (command: unknown) => boolean,
): Promise<PostConnectNote[]> {
  const hooks = (await listHooks(places)).filter(({ command }) => isOurs(command));
  if (hooks.length === 0) return [BY_HAND];
  const waiting = hooks.filter(({ trustStatus }) => trustStatus !== "trusted");
  if (waiting.length === 0) return [];
  const keys = new Set(waiting.map(({ key }) => key));
  const text = removeTables(
    (await readFileIfExists(path)) ?? "",
    ({ key }) => key[1] === "state" && keys.has(String(key[2])),
  );
  const tables = waiting.map(
    ({ key, currentHash }) => `[hooks.state.${toTomlString(key)}]\ntrusted_hash = ${toTomlString(currentHash)}\n`,
  );
  await writeSettingsFile(path, appendTables(text, tables.join("\n")));
  const left = (await listHooks(places)).filter((hook) => isOurs(hook.command) && hook.trustStatus !== "trusted");
  return left.length === 0 ? [`Codex trusts the ${hooks.length} hooks.`] : [BY_HAND];
}

/** @throws CommandFailure if Codex does not trust all of Trackway's hooks */
export async function checkHookTrust(places: UserEnvironment, isOurs: (command: unknown) => boolean): Promise<void> {
  const hooks = (await listHooks(places)).filter(({ command }) => isOurs(command));
  if (hooks.some(({ trustStatus }) => trustStatus !== "trusted"))
    throw new CommandFailure("Codex does not trust the hooks of Trackway.", {
      cure: "trackway connect codex, or /hooks in codex",
    });
}

/**
 * Requests the list of hooks from Codex over the app-server protocol that editors use. Returns an empty list if Codex
 * is not installed or does not respond.
 */
async function listHooks({ env, home }: UserEnvironment): Promise<CodexHook[]> {
  const child = spawn("codex", ["app-server"], { cwd: home, env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "close").catch(() => {});
  const timer = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  child.stdin.on("error", () => {});
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send({
    id: 1,
    method: "initialize",
    params: { clientInfo: { name: "trackway", title: "Trackway", version: VERSION } },
  });
  send({ method: "initialized" });
  send({ id: 2, method: "hooks/list", params: { cwds: [home] } });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = parsed(line);
      if (id === 2) return result?.data?.flatMap(({ hooks }) => hooks) ?? [];
    }
    return [];
  } finally {
    clearTimeout(timer);
    child.kill();
    await ended;
  }
}

function parsed(line: string): { id?: number; result?: { data?: { hooks: CodexHook[] }[] } } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
