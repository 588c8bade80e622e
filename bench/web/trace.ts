import type { CDPSession } from "playwright-core";

/** An entry of a trace. `tdur` is CPU time of the thread, without time taken by other processes. */
interface Traced {
  name: string;
  dur?: number;
  tdur?: number;
  ts: number;
  tid: number;
  pid: number;
  /** The number of elements with recalculated style; `partialLayout` is true for a layout of only parts of the page. */
  args?: { elementCount?: number; beginData?: { partialLayout?: boolean } };
}

/** Main-thread work in ms per frame of 16.7 ms, over frames with any work. */
interface Frames {
  frames: number;
  p50: number;
  p95: number;
  p99: number;
}

/** Traces the browser while `act` runs, with the CPU slowed by a factor. */
export async function traceBrowser(
  session: CDPSession,
  slower: number,
  act: () => Promise<unknown>,
): Promise<Traced[]> {
  const traced: Traced[] = [];
  const collect = ({ value }: { value: unknown }) => traced.push(...(value as Traced[]));
  session.on("Tracing.dataCollected", collect);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "devtools.timeline"] },
  });
  await act();
  const done = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await done;
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  session.off("Tracing.dataCollected", collect);
  return traced;
}

/**
 * The work of the page's main thread per frame: from the end of a frame,
 * which the `Layerize` entry marks, to the next end.
 */
export function readFrames(traced: readonly Traced[]): Frames {
  const main = mainThread(traced);
  const own = traced.filter(({ tid, pid }) => `${pid} ${tid}` === main);
  const ends = own.filter(({ name }) => name === "Layerize").map(({ ts }) => ts);
  const tasks = own.filter(({ name, tdur }) => tdur && /RunTask/.test(name)).sort((a, b) => a.ts - b.ts);
  const [frames, end] = [[0], ends.sort((a, b) => a - b).values()];
  let next = end.next();
  for (const { ts, dur = 0, tdur = 0 } of tasks) {
    frames[frames.length - 1] = Number(frames.at(-1)) + tdur / 1_000;
    while (!next.done && next.value < ts) next = end.next();
    if (!next.done && next.value <= ts + dur) frames.push(0);
  }
  const sorted = frames.filter((ms) => ms > 0).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { frames: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** The thread that spends the most time in the page's script. */
function mainThread(traced: readonly Traced[]): string {
  const sums = new Map<string, number>();
  for (const { name, pid, tid, dur = 0 } of traced) {
    if (name !== "FunctionCall" && name !== "EventDispatch") continue;
    sums.set(`${pid} ${tid}`, (sums.get(`${pid} ${tid}`) ?? 0) + dur);
  }
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}
