import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { ask, type Bench, claim, claimForNext, makeIssue, sessionsOf, setUp, type Turn } from "./bench.ts";
import { PROGRAMS, type Program } from "./programs.ts";
import { hasTranscript, missingAfterImport } from "./record.ts";

/** Fault of the server, and the number of the model request at which the fault occurs. */
interface Harm {
  signal: NodeJS.Signals;
  at: number;
}

/**
 * A frozen server does not respond. The server is frozen after the call of Trackway's tool, which would correctly
 * wait for the response.
 */
const HARMS: Record<string, Harm> = {
  "--kill": { signal: "SIGKILL", at: 2 },
  "--freeze": { signal: "SIGSTOP", at: 3 },
};
const RUNS = 2;
const MOST_MS = 1_000;
/**
 * Output that complains about hooks or telemetry. A failed call of Trackway's tool while the server is down is a
 * correct message.
 */
const NAG = /^(?!.*Trackway is not reachable).*(?:hook.*(error|fail|timeout)|ECONN|ETIMEDOUT|curl:|OTLP|otel|export)/i;

/**
 * Runs an agent's turn with a working server, and with a server that is killed or frozen during the turn. Returns the
 * effects: a turn that fails, mentions the fault, or in each run takes more than a second longer than the runs
 * before. After a kill the server is restarted, and the import of the agent's files must complete each session. An
 * issue that the session claimed is handed over with the last failing command.
 */
export async function survive(name: string, bin: string, mode: string): Promise<string[]> {
  const well: Turn[] = [];
  const hurt: Turn[] = [];
  const cut: string[] = [];
  const longer: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const bench = await setUp(PROGRAMS[name] as Program, bin);
    try {
      if (!PROGRAMS[name]?.byHand) bench.trackway(["connect", name, "--yes", "--no-probe"]);
      if (PROGRAMS[name]?.isWatched) bench.watch(["import", "sessions", "--watch"]);
      for (let turn = 0; turn < 2; turn++) well.push(await bench.turn());
      const harm = HARMS[mode] as Harm;
      if (mode === "--kill" && hasTranscript(name)) {
        const issue = await makeIssue(bench, "Read a missing file");
        const before = (await sessionsOf(bench)).length;
        let claimed: Promise<boolean> | undefined;
        hurt.push(await harmed(bench, harm, () => (claimed ??= claimForNext(bench, issue, before))));
        const wasClaimed = await claimed;
        await bench.restart();
        cut.push(...(await missingAfterImport(bench, name, PROGRAMS[name] as Program)));
        if (!wasClaimed) await claimForNext(bench, issue, before);
        cut.push(...(await wrongInHandover(bench, issue)));
      } else hurt.push(await harmed(bench, harm));
      longer.push(best(hurt.slice(-1)) - best(well.slice(-2)));
    } finally {
      await bench.close();
    }
  }
  const more = Math.min(...longer);
  console.log(`server well: ${times(well)} ms; ${mode.slice(2)}: ${times(hurt)} ms; at least ${more} ms longer`);
  const failed = hurt.filter(({ code, stdout }) => code !== 0 || !stdout.includes("Done: one command printed hello"));
  const nags = [...well, ...hurt].flatMap(({ stderr }) => stderr.split("\n")).filter((line) => NAG.test(line));
  return [
    ...cut,
    ...failed.map(({ code, stderr }) => `a turn ended with ${code}: ${stderr}`),
    ...nags.map((line) => `it says: ${line}`),
    ...(more > MOST_MS ? [`it took ${more} ms more`] : []),
  ];
}

const best = (turns: Turn[]): number => Math.min(...turns.map(({ ms }) => ms));
const times = (turns: Turn[]): string => turns.map(({ ms }) => ms).join(", ");

function harmed(bench: Bench, { signal, at }: Harm, onBegin = () => {}): Promise<Turn> {
  let count = 0;
  bench.model.onStep = () => {
    if (++count === 1) onBegin();
    if (count === at) bench.server.child.kill(signal);
  };
  return bench.turn();
}

const MOST_TOKENS = 800;

/** Checks that the next holder of the issue gets the last failing command verbatim, in few tokens. */
async function wrongInHandover(bench: Bench, id: string): Promise<string[]> {
  await ask(bench, "mutation ($id: String!) { issueRelease(id: $id) { success } }", { id });
  const handover = await claim(bench, id);
  const tokens = countTokens(handover ?? "");
  console.log(`a handover of ${tokens} tokens:\n${handover}`);
  return [
    ...(["$ cat /nonexistent\n", "No such file or directory"].every((text) => handover?.includes(text))
      ? []
      : ["the handover does not hold the last failing command"]),
    ...(tokens <= MOST_TOKENS ? [] : [`the handover has ${tokens} tokens`]),
  ];
}
