import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Bench, claimForNext, makeIssue, sessionsOf, setUp } from "./bench.ts";
import { say } from "./models/serve.ts";
import type { Program } from "./programs.ts";
import { openTerminal, until } from "./terminal.ts";

/** Number of equal calls of a session at which the claim ends. */
const LIMIT = 5;
/**
 * Each server compares claims with their limits every two seconds. A call that was permitted before runs to the end.
 */
const WITHIN_MS = 4_000;
/** Maximum number of commands: until a loop is stopped, and of polls and of agents whose server is unreachable. */
const [LOOPS, OTHERS] = [60, 2 * LIMIT];

/** Arguments that let an agent run commands without permission. */
const ALLOWED: Readonly<Record<string, string[]>> = {
  "claude-code": ["--allowedTools", "Bash"],
  codex: ["--dangerously-bypass-approvals-and-sandbox"],
};

/** Run of an agent in a terminal, with a claim that ends after equal calls. */
interface Run {
  /** Times at which the commands ran, in ms. */
  commands: number[];
  lease: { trippedAt: string | null; trippedBy: string | null };
  /** Types of the inbox entries about the issue. */
  inbox: string[];
  /** Number of requests to the model. */
  requests: number;
  isDone: boolean;
  /** True if the agent showed the reason of the stop. */
  saysWhy: boolean;
  screen: string;
}

/**
 * Runs an agent that is connected with --fuse on an issue in a terminal: in a loop, while polling, and with the
 * server unreachable. Returns the faults: a loop that continues after the limit, or a stop in any other case.
 */
export async function fuse(name: string, program: Program, bin: string): Promise<string[]> {
  const bench = await setUp(program, bin);
  try {
    bench.trackway(["connect", name, "--yes", "--no-probe", "--fuse"]);
    const place = { bench, bin, args: ALLOWED[name] ?? [] };
    const loop = await work(program, { ...place, output: "echo same", count: LOOPS });
    const poll = await work(program, { ...place, output: "date +%N", count: OTHERS });
    const away = await work(program, { ...place, output: "echo same", count: OTHERS, isAway: true });
    const at = Date.parse(loop.lease.trippedAt ?? "");
    const late = loop.commands.filter((ran) => ran > at);
    const last = Math.max(0, ...late.map((ran) => ran - at));
    console.log(
      `a loop: ${loop.lease.trippedBy} after ${loop.commands.length - late.length} commands; ${late.length} more, the last ${last} ms later; ${loop.requests} requests to the model; inbox: ${loop.inbox}`,
    );
    console.log(`a poll: ${poll.commands.length} of ${OTHERS} commands, ${poll.lease.trippedBy ?? "no limit"}`);
    console.log(`server away: ${away.commands.length} of ${OTHERS} commands`);
    return [
      ...(loop.lease.trippedBy === "equalCalls" ? [] : [`the loop reached no limit: ${loop.screen}`]),
      ...(last <= WITHIN_MS && loop.commands.length < LOOPS ? [] : [`the loop went on for ${last} ms: ${loop.screen}`]),
      ...(loop.inbox.includes("limitReached") ? [] : ["the limit is not in the inbox"]),
      ...(loop.saysWhy ? [] : [`it does not say why: ${loop.screen}`]),
      ...(poll.isDone && poll.lease.trippedBy === null ? [] : [`the poll was stopped: ${poll.screen}`]),
      ...(away.isDone ? [] : [`it did not go on without the server: ${away.screen}`]),
    ];
  } finally {
    await bench.close();
  }
}

interface Work {
  bench: Bench;
  bin: string;
  args: string[];
  /** Part of each command that prints. */
  output: string;
  count: number;
  isAway?: true;
}

let projects = 0;

async function work(program: Program, { bench, bin, args, output, count, isAway }: Work): Promise<Run> {
  const project = join(bench.home, `project-${++projects}`);
  const file = join(project, "ran.txt");
  const shell = `date +%s%3N >> ran.txt; sleep 0.2; ${output}`;
  say([...Array.from({ length: count }, () => [{ shell }]), [{ say: "Done: all of it." }]]);
  const id = await makeIssue(bench, `Work ${projects}`);
  const known = (await sessionsOf(bench)).length;
  let requests = 0;
  let claimed: Promise<boolean> | undefined;
  bench.model.onStep = () => {
    claimed ??= claimForNext(bench, id, known, { equalCallLimit: LIMIT });
    if (++requests === 3 && isAway) void claimed.then(() => bench.server.child.kill("SIGKILL"));
  };
  const terminal = await openTerminal(program, { bench, bin, project, args });
  try {
    await terminal.prompt("Do it.");
    const commands = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []);
    const isDone = () => /Done: all of it/.test(terminal.screen());
    let [seen, saysWhy] = ["", false];
    // The last sign of activity: the agent reports the end, or sends no more requests to the model.
    for (let still = 0; still < 20 && !isDone(); await sleep(500)) {
      still = seen === `${requests} ${commands().length}` && requests > 0 ? still + 1 : 0;
      seen = `${requests} ${commands().length}`;
      saysWhy ||= /claim of this session/.test(terminal.screen());
    }
    if (isAway) await bench.restart();
    // The server compares the limits once more.
    await until(async () => (await leaseOf(bench, id)).trippedAt !== null, WITHIN_MS);
    const { inbox } = await ask(bench, "{ inbox { nodes { type issue { id } } } }");
    return {
      commands: commands(),
      lease: await leaseOf(bench, id),
      inbox: inbox.nodes.flatMap(({ type, issue }: any) => (issue?.id === id ? [type] : [])),
      requests,
      ...{ isDone: isDone(), saysWhy },
      screen: terminal.screen().trim(),
    };
  } finally {
    terminal.close();
  }
}

const leaseOf = async (bench: Bench, id: string): Promise<Run["lease"]> =>
  (await ask(bench, `{ issue(id: "${id}") { lease { trippedAt trippedBy } } }`)).issue.lease;
