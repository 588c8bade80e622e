import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Agent, Crew, Report } from "./agents.ts";

export interface Ledger {
  /** Won issues by agent: `issue fence`, or only the issue in the control without claims. */
  won: { key: string; agent: string }[];
  finished: string[];
  late: number;
  killed: number;
}

export interface Crews {
  ledger: Ledger;
  /**
   * Kills a process with SIGKILL at any point of its work, and starts a new
   * process: agents with the same keys but no memory.
   */
  kill(at: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the agents, `each` per process. */
export function startCrews(agents: readonly Agent[], each: number, shared: Omit<Crew, "agents">): Crews {
  const ledger: Ledger = { won: [], finished: [], late: 0, killed: 0 };
  const parts = Array.from({ length: Math.ceil(agents.length / each) }, (_, at) =>
    agents.slice(at * each, (at + 1) * each),
  );
  const running = parts.map((part) => startCrew({ ...shared, agents: part }, ledger));
  const end = async (child: ChildProcess | undefined) => {
    if (!child) return;
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  };
  return {
    ledger,
    async kill(at) {
      await end(running[at]);
      const part = parts[at] ?? [];
      ledger.killed += part.length;
      running[at] = startCrew({ ...shared, agents: part }, ledger);
    },
    stop: async () => void (await Promise.all(running.map(end))),
  };
}

function startCrew(crew: Crew, ledger: Ledger): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx/esm", "bench/work/crew.ts"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(crew));
  createInterface({ input: child.stdout }).on("line", (line) => note(ledger, line));
  return child;
}

function note(ledger: Ledger, line: string): void {
  const { agent, report } = JSON.parse(line) as { agent: string; report: Report };
  const [what, ...which] = report;
  if (what === "won") ledger.won.push({ key: which.join(" "), agent });
  else if (what === "finished") ledger.finished.push(which.join(" "));
  else ledger.late += 1;
}
