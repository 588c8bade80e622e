import { setUp, type Turn } from "./bench.ts";
import { PROGRAMS, type Program } from "./programs.ts";

/** What is done to the server, and at which of the model's requests. */
interface Harm {
  signal: NodeJS.Signals;
  at: number;
}

/** A frozen server answers nothing. It is frozen after the call of our tool, which would rightly wait for it. */
const HARMS: Record<string, Harm> = {
  "--kill": { signal: "SIGKILL", at: 2 },
  "--freeze": { signal: "SIGSTOP", at: 3 },
};
const RUNS = 3;
const MOST_MS = 1_000;
/** What would be nagging about hooks or telemetry. That a call of ours fails while the server is down is the truth. */
const NAG = /hook.*(error|fail|timeout)|ECONN|ETIMEDOUT|curl:|OTLP|otel|export/i;

/**
 * Runs a program's turn with a server that is well, and with one that is killed or frozen amid it.
 * Answers what harm was done: a turn that fails, says something of it, or takes more than a second longer.
 */
export async function survive(name: string, bin: string, mode: string): Promise<string[]> {
  const program = PROGRAMS[name] as Program;
  const well: Turn[] = [];
  const hurt: Turn[] = [];
  const harm = HARMS[mode] as Harm;
  for (let run = 0; run < RUNS; run++) {
    well.push(await oneTurn(name, program, bin));
    hurt.push(await oneTurn(name, program, bin, harm));
  }
  const more = best(hurt) - best(well);
  console.log(
    `server well: ${times(well)} ms; ${mode.slice(2)}: ${times(hurt)} ms; the best of each differ by ${more} ms`,
  );
  const failed = hurt.filter(({ code, stdout }) => code !== 0 || !stdout.includes("Done: one command printed hello"));
  const nags = [...well, ...hurt].flatMap(({ stderr }) => stderr.split("\n")).filter((line) => NAG.test(line));
  return [
    ...failed.map(({ code, stderr }) => `a turn ended with ${code}: ${stderr}`),
    ...nags.map((line) => `it says: ${line}`),
    ...(more > MOST_MS ? [`it took ${more} ms more`] : []),
  ];
}

const best = (turns: Turn[]): number => Math.min(...turns.map(({ ms }) => ms));
const times = (turns: Turn[]): string => turns.map(({ ms }) => ms).join(", ");

async function oneTurn(name: string, program: Program, bin: string, harm?: Harm): Promise<Turn> {
  const bench = await setUp(program, bin);
  try {
    bench.trackway(["connect", name, "--yes", "--no-probe"]);
    bench.model.onStep = (count) => {
      if (count === harm?.at) bench.server.child.kill(harm.signal);
    };
    return await bench.turn();
  } finally {
    await bench.close();
  }
}
