import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readIfThere } from "../files/whole-file.ts";
import { print as say } from "../output/print.ts";
import { askYes } from "../prompt.ts";
import type { Agent, Connection } from "./agent.ts";
import { applyChanges } from "./changes/apply.ts";
import { isDone, planChanges, textsOf } from "./changes/plan.ts";
import { type ConnectionRecord, digest, writeRecord } from "./changes/record.ts";
import { show } from "./changes/show.ts";
import { keysFor } from "./keys.ts";
import { probe } from "./probe.ts";

/** Options of connecting. */
export interface ConnectOptions {
  dryRun?: boolean;
  yes?: boolean;
  probe?: boolean;
  /** True to have a limit of a claim stop the agent. */
  fuse?: boolean;
}

/** Connects an agent: shows what it will write, writes it, tries it, and says where the first session is. */
export async function connect(agent: Agent, places: Places, options: ConnectOptions): Promise<void> {
  if (options.fuse && !agent.stops)
    throw new Failure(`${agent.title} has no hook that can stop it.`, {
      exit: EXIT.usage,
      cure: `trackway connect ${agent.name}`,
    });
  // An unreadable file is refused before any key is made.
  await planChanges(agent, { places, url: "http://127.0.0.1", ingestKey: "", apiKey: "" });
  const { connection } = await keysFor(agent, places, { ...options, dryRun: true });
  const draft = await planChanges(agent, connection);
  const changes = [...draft.own, ...draft.files];
  if (isDone(changes)) say(`${agent.title} is connected to ${connection.url} already.`);
  else say(changes.map((change) => show(change, options.dryRun === true)).join(""));
  for (const note of agent.notes?.(connection, textsOf(draft.files)) ?? []) say(note);
  if (options.dryRun) return say("Nothing was written (--dry-run).");
  if (!isDone(changes)) await agreed(options);
  const made = await keysFor(agent, places, { ...options, dryRun: false });
  await write(agent, made.connection, made.record);
  await tell(agent, made.connection, options);
}

async function agreed({ yes }: ConnectOptions): Promise<void> {
  if (yes || (await askYes("Write this?", "the same command with --yes"))) return;
  throw new Failure("Nothing was written.");
}

/** Files first, then the record of what was written: without one, what is ours is found by how it looks. */
export async function write(agent: Agent, connection: Connection, made: ConnectionRecord): Promise<void> {
  const { places } = connection;
  const planned = await planChanges(agent, connection);
  const record = { ...made, files: await applyChanges(planned) };
  await writeRecord(places, agent.name, record);
  const notes = (await agent.settle?.(connection)) ?? [];
  for (const [path, file] of Object.entries(record.files)) {
    const before = planned.files.find((change) => change.path === path)?.after;
    const text = await readIfThere(path);
    // The text that settling adds is ours too; a file that somebody else changed meanwhile is not as we left it.
    if (text !== undefined && before !== undefined && digest(before) === file.written) file.written = digest(text);
  }
  await writeRecord(places, agent.name, record);
  for (const note of notes) say(note);
}

async function tell(agent: Agent, connection: Connection, options: ConnectOptions): Promise<void> {
  if (options.probe === false) return say(`${agent.title} is connected to ${connection.url}.`);
  const address = await probe(agent, connection);
  say(`${agent.title} is connected. A first session is there: ${address}`);
}
