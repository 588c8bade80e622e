import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../db/open.ts";
import { countMarkedHours } from "../../server/jobs/analytics.ts";
import { fillScale } from "./fill.ts";
import { measureAll } from "./measure.ts";
import { startMeasured } from "./server.ts";

/** Number of issues on the embedded database. `SLACK` is the factor by which operations may exceed their limit. */
const ISSUES = Number(process.env["BENCH_ROWS"] ?? 100_000);
const EVENTS = 50;
const SLACK = 3;
const LIMITS = { startSeconds: 3, residentMB: 350 };

/**
 * Measures the operations on an embedded database of 100,000 issues and a million events, and the start and memory
 * of the server.
 */
export async function benchScaleEmbedded(): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), "trackway-bench-"));
  const dataDir = join(parent, "data");
  try {
    const db = await openDatabase({ dataDir, poolSize: 1 });
    const key = await db.as("upkeep", () =>
      fillScale((text) => db.query({ text }), { issues: ISSUES, events: EVENTS }),
    );
    await db.as("upkeep", () => countMarkedHours(db));
    await db.close();
    const server = await startMeasured({ DATA_DIR: dataDir });
    const atStart = server.residentMB();
    const rows = await measureAll({ address: server.address, key, slack: SLACK });
    const residentMB = server.residentMB();
    await server.stop();
    console.table(rows);
    const start = { startSeconds: server.seconds, residentMB, residentAtStartMB: atStart };
    console.log(start);
    console.log(
      JSON.stringify({ bench: "scale-embedded", issues: ISSUES, events: EVENTS, limits: LIMITS, ...start, rows }),
    );
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
