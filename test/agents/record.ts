import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type Bench, setUp } from "./bench.ts";
import { ERRAND } from "./models/serve.ts";
import { hasOurs, isAsking, type Program } from "./programs.ts";
import { type Session, sessions } from "./session.ts";

const WITHIN_MS = 2_000;

/**
 * Records one turn of an agent and prints the content of the session. Returns the missing parts and a summary of the
 * session.
 */
export async function record(
  name: string,
  program: Program,
  bin: string,
): Promise<{ faults: string[]; shape: string[] }> {
  const bench = await setUp(program, bin);
  try {
    if (!program.byHand) connect(bench, name);
    if (program.isWatched) bench.watch(["import", "sessions", "--watch"]);
    const turn = await bench.turn();
    console.log(`${name} ended with ${turn.code} after ${turn.ms} ms: ${turn.stdout.trim().split("\n").at(-1)}`);
    const ended = performance.now();
    let faults = ["nothing was looked at"];
    while (faults.length > 0 && performance.now() - ended < WITHIN_MS) {
      const all = await recorded(bench);
      const session = all.find(({ events }) => events.some(({ args }) => args.includes("Run echo hello"))) ?? all[0];
      faults = session ? missing(session, program, { all }) : ["no session was recorded"];
      if (faults.length === 0) console.log(`whole ${Math.round(performance.now() - ended)} ms after its end`);
    }
    for (const session of await recorded(bench)) show(session);
    if (faults.length === 0) faults.push(...(await imported(bench, name)));
    if (turn.code !== 0) faults.push(`it ended with ${turn.code}: ${turn.stderr}`);
    return { faults, shape: (await recorded(bench)).flatMap(shapeOf) };
  } finally {
    await bench.close();
  }
}

/** Imports the transcript of a session that is already complete. Returns what the import added. */
async function imported(bench: Bench, name: string): Promise<string[]> {
  if (!hasTranscript(name)) return [];
  const before = (await recorded(bench)).flatMap(wholeOf);
  importTranscripts(bench, name);
  const after = (await recorded(bench)).flatMap(wholeOf);
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `the import changed ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `the import added ${line}`),
  ];
}

/** The import finds the files of these agents without a path. */
const TRANSCRIPTS: Readonly<Record<string, string>> = {
  "claude-code": "claude-code",
  codex: "codex",
  "gemini-cli": "gemini-cli",
  "qwen-code": "qwen-code",
  copilot: "github-copilot",
  opencode: "opencode",
  pi: "pi",
};

/** True for an agent whose files `trackway import sessions` finds. */
export const hasTranscript = (name: string): boolean => Object.hasOwn(TRANSCRIPTS, name);

/** Imports the agent's files. */
function importTranscripts(bench: Bench, name: string): void {
  console.log(bench.trackway(["import", "sessions", "--agent", TRANSCRIPTS[name] ?? name]).trim());
}

/** Makes the agent's files look old, because the import leaves out files that may still be written. */
function age(home: string): void {
  const hourAgo = Date.now() / 1_000 - 3_600;
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), hourAgo, hourAgo);
}

/**
 * Checks the turns that an import completed. Returns the missing parts of each session. The call of Trackway's tool
 * met no server and so failed too, and Gemini CLI's file contains no times of calls.
 */
export async function missingAfterImport(bench: Bench, name: string, program: Program): Promise<string[]> {
  age(bench.home);
  importTranscripts(bench, name);
  const found = await recorded(bench);
  const own = found.filter(({ events }) => events.some(({ args }) => args.includes("Run echo hello")));
  return own.flatMap((session) =>
    missing(session, program, { all: found, isImported: true }).map(
      (what) => `${session.externalId} after import: ${what}`,
    ),
  );
}

/** Agents whose hooks report no cached tokens. Their files add cached tokens. */
const UNCACHED: ReadonlySet<string> = new Set(["gemini-cli"]);
const uncached = ({ cacheReadTokens, cost, ...totals }: Session["totals"]) => totals;

/**
 * Returns everything in a session except times, which files have from the agent's clock and hooks from their arrival.
 */
const wholeOf = ({ externalId, source, totals, events }: Session): string[] => [
  `session ${JSON.stringify([externalId, source, UNCACHED.has(source) ? uncached(totals) : totals])}`,
  ...events.map(({ latency, id, parentId, ...event }) => `event ${JSON.stringify(event)}`),
];

function connect(bench: Bench, name: string): void {
  console.log(bench.trackway(["connect", name, "--yes"]).trim().split("\n").slice(-2).join("\n"));
  const state = bench.trackway(["doctor"]).split("\n");
  console.log(state.filter((line) => line.includes(name)).join("\n"));
}

const PROBE = /does this arrive\?/;
const recorded = async (bench: Bench): Promise<Session[]> =>
  (await sessions(bench.url, bench.apiKey)).filter(({ events }) => !events.some(({ args }) => PROBE.test(args)));

/** Calls that start a subagent, wait for a subagent or end a subagent. Their number differs between agents. */
const DELEGATING = /^(?:complete_task|Agent|Task|task|agent|invoke_agent|(?:multi_agent_v1)?(?:spawn|wait)_agent)$/i;

/**
 * Checks the rows that the turn must have stored: prompt, reply, calls of which one failed with an error, the
 * subagent with a call and a reply, model, tokens, and cost. Returns the missing rows.
 */
function missing(
  { events, totals }: Session,
  program: Program,
  { all, isImported = false }: { all: readonly Session[]; isImported?: boolean },
): string[] {
  const { tokens, byHand, command } = program;
  const within = (id: string | null): Session["events"] => {
    const event = events.find((each) => each.id === id);
    return event ? [event, ...within(event.parentId)] : [];
  };
  const isInner = ({ parentId }: Session["events"][number]) => within(parentId).some(({ kind }) => kind === "subagent");
  const allTools = events.filter(({ kind }) => kind === "tool");
  const tools = allTools.filter((event) => !isInner(event) && !DELEGATING.test(event.primitiveName));
  const turns = events.filter(({ kind }) => kind === "turn");
  const [turn] = turns;
  const failed = tools.filter(({ success }) => !success);
  const calls = hasOurs(program) ? 3 : 2;
  const subagents = events.filter(({ kind }) => kind === "subagent");
  // A subagent of Codex is a separate session, so each turn has one.
  const isAsked = (each: Session) => each.events.some(({ args }) => args.includes("Run echo hello"));
  const others = all.filter((each) => each.events.some(({ args }) => args === ERRAND) && !isAsked(each));
  const innerDue = others.length > 0 ? all.filter(isAsked).length : 1;
  const innerEvents = [...allTools.filter(isInner), ...others.flatMap((each) => each.events)];
  const inner = innerEvents.filter((event) => event.kind === "tool" && !DELEGATING.test(event.primitiveName));
  const untold = Boolean(byHand) && command === "qwen";
  const wanted: [boolean, string][] = [
    [turns.length === 1, `one turn, not ${turns.length}`],
    [Boolean(turn?.args.includes("Run echo hello")), "the prompt"],
    [Boolean(turn?.result.includes("Done: one command printed hello")), "the reply"],
    [turn?.open === false || Boolean(byHand && ENDLESS.has(command)), "the turn's end"],
    [tools.length === calls, `${calls} calls, not ${tools.length}`],
    [
      failed.length === 1 || (isImported && failed.length === 2) || (untold && failed.length === 0),
      "exactly one failed call",
    ],
    [
      untold || failed.some(({ result }) => /No such file|Shell command failed|Exit Code: 1/.test(result)),
      "the failed call's error",
    ],
    [
      !hasOurs(program) || tools.some(({ primitiveName }) => primitiveName.includes("list_teams")),
      "the call of list_teams",
    ],
    [
      !tokens || totals.inputTokens + totals.cacheReadTokens >= calls * 1200,
      `the tokens of ${calls} requests, not ${totals.inputTokens}`,
    ],
    [isImported || tools.every(({ latency }) => latency !== null), "how long each call took"],
    [allTools.every(({ args }) => args !== ""), "the input of each call"],
    [untold || allTools.every(({ result }) => result !== ""), "the result of each call"],
    [totals.models.length > 0, "the model"],
    [!tokens || (totals.cost ?? 0) > 0, `the cost, not ${totals.cost}`],
    [
      !isAsking(program) || (subagents.length === 1 && subagents[0]?.success === true && subagents[0].open === false),
      `one subagent that ended well, not ${subagents.length}`,
    ],
    [
      !isAsking(program) || subagents.some(({ result }) => result.includes("The errand is done.")),
      "the subagent's reply",
    ],
    [
      !isAsking(program) ||
        (inner.length === innerDue &&
          inner.every(({ args, result }) => /echo inner/.test(args) && /inner/.test(result))),
      `the subagent's call, not ${inner.length}`,
    ],
  ];
  return wanted.filter(([there]) => !there).map(([, what]) => `missing: ${what}`);
}

/** Agents whose telemetry does not report the end of a turn, at least in some versions. */
const ENDLESS: ReadonlySet<string> = new Set(["gemini", "qwen"]);

/** Returns a session without values that differ between runs. */
const shapeOf = ({ source, totals, events }: Session): string[] => [
  `session of ${source}: ${totals.inputTokens} in, ${totals.outputTokens} out, ${totals.cacheReadTokens} cached`,
  ...events.map(({ kind, primitiveName, args, result, success, latency, open }) =>
    JSON.stringify([kind, primitiveName, success, open, latency !== null, args.slice(0, 60), result.slice(0, 60)]),
  ),
];

function show({ externalId, source, totals, events }: Session): void {
  const { inputTokens, outputTokens, cacheReadTokens, cost, models } = totals;
  console.log(
    `session ${externalId} (${source}): ${inputTokens} in, ${outputTokens} out, ${cacheReadTokens} cached, $${cost}, ${models}`,
  );
  const line = (text: string) => JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}…` : text);
  const depthOf = (id: string | null): number => {
    const event = events.find((each) => each.id === id);
    return event ? 1 + depthOf(event.parentId) : 0;
  };
  for (const { kind, primitiveName, args, result, success, latency, parentId } of events)
    console.log(
      `  ${"  ".repeat(depthOf(parentId))}${kind} ${primitiveName} ${success ? "" : "FAILED "}${latency ?? "?"} ms ${line(args)} → ${line(result)}`,
    );
}
