import { type Bench, setUp } from "./bench.ts";
import { PROGRAMS, type Program } from "./programs.ts";
import { type Session, sessions } from "./session.ts";

const WITHIN_MS = 2_000;

/** Records one turn of a program, prints what its session holds, and answers what is missing, and the session in short. */
export async function record(name: string, bin: string): Promise<{ faults: string[]; shape: string[] }> {
  const program = PROGRAMS[name] as Program;
  const bench = await setUp(program, bin);
  try {
    if (!program.byHand) connect(bench, name);
    const turn = await bench.turn();
    console.log(`${name} ended with ${turn.code} after ${turn.ms} ms: ${turn.stdout.trim().split("\n").at(-1)}`);
    const ended = performance.now();
    let faults = ["nothing was looked at"];
    while (faults.length > 0 && performance.now() - ended < WITHIN_MS) {
      const [session] = await recorded(bench);
      faults = session ? missing(session, program) : ["no session was recorded"];
      if (faults.length === 0) console.log(`whole ${Math.round(performance.now() - ended)} ms after its end`);
    }
    for (const session of await recorded(bench)) show(session);
    if (turn.code !== 0) faults.push(`it ended with ${turn.code}: ${turn.stderr}`);
    return { faults, shape: (await recorded(bench)).flatMap(shapeOf) };
  } finally {
    await bench.close();
  }
}

function connect(bench: Bench, name: string): void {
  console.log(bench.trackway(["connect", name, "--yes"]).trim().split("\n").slice(-2).join("\n"));
  const state = bench.trackway(["doctor"]).split("\n");
  console.log(state.filter((line) => line.includes(name)).join("\n"));
}

const PROBE = /does this arrive\?/;
const recorded = async (bench: Bench): Promise<Session[]> =>
  (await sessions(bench.url, bench.apiKey)).filter(({ events }) => !events.some(({ args }) => PROBE.test(args)));

/** The rows that the turn must have left: prompt, reply, three calls of which one failed with its error, and tokens. */
function missing({ events, totals }: Session, { tokens, byHand, command }: Program): string[] {
  const tools = events.filter(({ kind }) => kind === "tool");
  const turns = events.filter(({ kind }) => kind === "turn");
  const [turn] = turns;
  const failed = tools.filter(({ success }) => !success);
  const calls = byHand ? 2 : 3;
  const untold = command === "qwen";
  const wanted: [boolean, string][] = [
    [turns.length === 1, `one turn, not ${turns.length}`],
    [Boolean(turn?.args.includes("Run echo hello")), "the prompt"],
    [Boolean(turn?.result.includes("Done: one command printed hello")), "the reply"],
    [turn?.open === false || Boolean(byHand && ENDLESS.has(command)), "the turn's end"],
    [tools.length === calls, `${calls} calls, not ${tools.length}`],
    [failed.length === 1 || (untold && failed.length === 0), "exactly one failed call"],
    [
      untold || failed.some(({ result }) => /No such file|Shell command failed/.test(result)),
      "the failed call's error",
    ],
    [
      Boolean(byHand) || tools.some(({ primitiveName }) => primitiveName.includes("list_teams")),
      "the call of list_teams",
    ],
    [!tokens || totals.inputTokens >= calls * 1200, `the tokens of ${calls} requests, not ${totals.inputTokens}`],
    [tools.every(({ latency }) => latency !== null), "how long each call took"],
  ];
  return wanted.filter(([there]) => !there).map(([, what]) => `missing: ${what}`);
}

/** Programs whose telemetry tells of no turn's end, at least in some versions. */
const ENDLESS: ReadonlySet<string> = new Set(["gemini", "qwen"]);

/** A session without what differs from run to run. */
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
  for (const { kind, primitiveName, args, result, success, latency } of events)
    console.log(
      `  ${kind} ${primitiveName} ${success ? "" : "FAILED "}${latency ?? "?"} ms ${line(args)} → ${line(result)}`,
    );
}
