import { canMount, killPostgres, killServers, negativeControl, type Part } from "./kills.ts";
import { fullDisk, troubles } from "./trouble.ts";

/**
 * The durability of ingestion: servers and databases are killed, slowed, cut off, filled and overrun while clients
 * post; nothing that was answered accepted may be missing, changed or doubled, and nothing may be answered but
 * successes and refusals with Retry-After. A control without synchronous commits must lose rows.
 * `TORTURE_TROUBLE=overload` makes the troubles of that name alone.
 * Prints a table and one line of JSON; answers whether all of it held.
 */
export async function tortureIngest(): Promise<boolean> {
  const wanted = process.env["TORTURE_TROUBLE"];
  const parts: Part[] = [];
  const add = async (...more: Promise<Part | Part[]>[]) => {
    for (const part of more) {
      const done = [await part].flat();
      parts.push(...done);
      for (const each of done)
        console.error(`${each.held ? "held" : "FAILED"}: ${each.part}, ${each.accepted} accepted`);
    }
  };
  if (wanted) await add(troubles(5, new RegExp(wanted)));
  else {
    await add(killServers(30, "postgresql"));
    await add(killPostgres(10));
    await add(negativeControl(3));
    await add(killServers(30, "embedded"));
    await add(troubles(5));
    if (canMount()) await add(fullDisk(5));
    else console.error("left out: full disk, which needs the right to mount a tmpfs");
  }
  console.table(parts);
  console.log(JSON.stringify({ torture: "ingest", parts }));
  return parts.every(({ held }) => held);
}
