import { canMount, killPostgres, killServers, runNegativeControl, type TorturePart } from "./kills.ts";
import { fillDisk, runTroubles } from "./trouble.ts";

/**
 * Tests the durability of ingestion: kills, slows, cuts off, fills and overloads servers and databases while clients
 * post. No accepted row may be missing, changed or doubled. Every response must be a success or a refusal with
 * Retry-After. A control without synchronous commits must lose rows. `TORTURE_TROUBLE=overload` runs only the
 * troubles of that name. Prints a table and one line of JSON. Resolves to true when every part held.
 */
export async function tortureIngest(): Promise<boolean> {
  const wanted = process.env["TORTURE_TROUBLE"];
  const parts: TorturePart[] = [];
  const add = async (...more: Promise<TorturePart | TorturePart[]>[]) => {
    for (const part of more) {
      const done = [await part].flat();
      parts.push(...done);
      for (const each of done)
        console.error(`${each.held ? "held" : "FAILED"}: ${each.part}, ${each.accepted} accepted`);
    }
  };
  if (wanted) await add(runTroubles(5, new RegExp(wanted)));
  else {
    await add(killServers(30, "postgresql"));
    await add(killPostgres(10));
    await add(runNegativeControl(3));
    await add(killServers(30, "embedded"));
    await add(runTroubles(5));
    if (canMount()) await add(fillDisk(5));
    else console.error("left out: full disk, which needs the right to mount a tmpfs");
  }
  console.table(parts);
  console.log(JSON.stringify({ torture: "ingest", parts }));
  return parts.every(({ held }) => held);
}
