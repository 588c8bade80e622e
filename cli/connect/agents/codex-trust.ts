import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Failure } from "../../failure.ts";
import type { Places } from "../../files/places.ts";
import { appendTables, removeTables, tomlString } from "../../files/toml.ts";
import { readIfThere, writeWhole } from "../../files/whole-file.ts";
import { VERSION } from "../../version.ts";
import type { Note } from "../agent.ts";

/** A hook as Codex sees it. */
interface CodexHook {
  key: string;
  command?: string;
  currentHash: string;
  trustStatus: string;
}

const DEADLINE_MS = 10_000;
const BY_HAND = "Codex runs a hook only once it is trusted: start codex, type /hooks and trust those of Trackway.";

/**
 * Has Codex trust our hooks, which the one who connects it has just agreed to. Codex itself lists each hook's hash, and
 * keeps what is trusted in the same file. Hooks of others stay as they are.
 */
export async function settleTrust(
  places: Places,
  path: string,
  isOurs: (command: unknown) => boolean,
): Promise<Note[]> {
  const hooks = (await listHooks(places)).filter(({ command }) => isOurs(command));
  if (hooks.length === 0) return [BY_HAND];
  const waiting = hooks.filter(({ trustStatus }) => trustStatus !== "trusted");
  if (waiting.length === 0) return [];
  const keys = new Set(waiting.map(({ key }) => key));
  const text = removeTables(
    (await readIfThere(path)) ?? "",
    ({ key }) => key[1] === "state" && keys.has(String(key[2])),
  );
  const tables = waiting.map(
    ({ key, currentHash }) => `[hooks.state.${tomlString(key)}]\ntrusted_hash = ${tomlString(currentHash)}\n`,
  );
  await writeWhole(path, appendTables(text, tables.join("\n")));
  const left = (await listHooks(places)).filter((hook) => isOurs(hook.command) && hook.trustStatus !== "trusted");
  return left.length === 0 ? [`Codex trusts the ${hooks.length} hooks.`] : [BY_HAND];
}

/** @throws Failure while Codex does not trust one of our hooks */
export async function checkTrust(places: Places, isOurs: (command: unknown) => boolean): Promise<void> {
  const hooks = (await listHooks(places)).filter(({ command }) => isOurs(command));
  if (hooks.some(({ trustStatus }) => trustStatus !== "trusted"))
    throw new Failure("Codex does not trust its hooks.", { cure: "trackway connect codex, or /hooks in codex" });
}

/** Asks Codex which hooks it knows, as its own editors do; none where it is not installed or does not answer. */
async function listHooks({ env, home }: Places): Promise<CodexHook[]> {
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
