import { readdirSync, readFileSync } from "node:fs";

/** Microseconds per tick of /proc. USER_HZ is 100 on every Linux that Node.js supports. */
const TICK_US = 10_000;

/** User and system CPU time of a process and its children so far, in µs. Linux only. */
export function readCpuTime(pid: number): number {
  const processes = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const stat = statOf(Number(name));
        return stat ? [[Number(name), stat] as const] : [];
      }),
  );
  const own = processes.get(pid);
  if (!own) throw new Error(`process ${pid} is gone`);
  let ticks = own.ticks + own.endedChildren;
  for (const { parent, ticks: childTicks } of processes.values()) if (parent === pid) ticks += childTicks;
  return ticks * TICK_US;
}

function statOf(pid: number): { parent: number; ticks: number; endedChildren: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11);
    return { parent, ticks: user + system, endedChildren: childUser + childSystem };
  } catch {
    return undefined; // The process ended during the read.
  }
}
