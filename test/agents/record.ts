import { type Bench, setUp } from "./bench.ts";
import { PROGRAMS, type Program } from "./programs.ts";
import { type Session, sessions } from "./session.ts";

const WITHIN_MS = 2_000;

/** Records one turn of a program, prints what its session holds, and answers what is missing. */
export async function record(name: string, bin: string): Promise<string[]> {
  const program = PROGRAMS[name] as Program;
  const bench = await setUp(program, bin);
  try {
    console.log(bench.trackway(["connect", name, "--yes"]).trim().split("\n").slice(-2).join("\n"));
    console.log(
      bench
        .trackway(["doctor"])
        .split("\n")
        .filter((line) => line.includes(name))
        .join("\n"),
    );
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
    return faults;
  } finally {
    await bench.close();
  }
}

const PROBE = /does this arrive\?/;
const recorded = async (bench: Bench): Promise<Session[]> =>
  (await sessions(bench.url, bench.apiKey)).filter(({ events }) => !events.some(({ args }) => PROBE.test(args)));

/** What the turn must have left: prompt, reply, three calls of which one failed with its error, and tokens. */
function missing({ events, totals }: Session, { tokens }: Program): string[] {
  const tools = events.filter(({ kind }) => kind === "tool");
  const turns = events.filter(({ kind }) => kind === "turn");
  const [turn] = turns;
  const wanted: [boolean, string][] = [
    [turns.length === 1, `one turn, not ${turns.length}`],
    [Boolean(turn?.args.includes("Run echo hello")), "the prompt"],
    [Boolean(turn?.result.includes("Done: one command printed hello")), "the reply"],
    [turn?.open === false, "the turn's end"],
    [tools.length === 3, `three calls, not ${tools.length}`],
    [tools.filter(({ success }) => !success).length === 1, "exactly one failed call"],
    [tools.some(({ success, result }) => !success && /No such file/.test(result)), "the failed call's error"],
    [tools.some(({ primitiveName }) => primitiveName.includes("list_teams")), "the call of list_teams"],
    [!tokens || totals.inputTokens >= 3 * 1200, `the tokens of three requests, not ${totals.inputTokens}`],
    [tools.every(({ latency }) => latency !== null), "how long each call took"],
  ];
  return wanted.filter(([there]) => !there).map(([, what]) => `missing: ${what}`);
}

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
