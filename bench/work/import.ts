import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliUser, createSignedInUser } from "../../test/support/cli/cli.ts";
import { runExecutable } from "../../test/support/cli/cli-run.ts";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { createOrganization } from "../../test/support/server.ts";
import { createWorkspaceIn } from "../../test/support/workspace.ts";
import { startFleet } from "../servers/fleet.ts";
import { SECRET } from "../support/secret.ts";

const ISSUES = Number(process.env["BENCH_ISSUES"] ?? 10_000);
const COMMENTS = 2;
/** Maximum seconds for 10,000 issues with comments on the embedded engine. */
const LIMIT_SECONDS = 60;
const DAY_MS = 86_400_000;
const BEGUN = Date.parse("2024-01-01T00:00:00Z");

/**
 * Imports a file of GitHub issues with the command line, as an owner of an empty organization would, on both engines
 * and within the default hourly limits. Then exports the organization, imports the export into another organization
 * and exports again. Prints a table of seconds and a line of JSON.
 */
export async function benchImport(): Promise<void> {
  const cluster = await startOwnCluster();
  try {
    const rows = [
      await measure("embedded", { DATA_DIR: join(mkdtempSync(join(tmpdir(), "trackway-import-")), "data") }),
      await measure("postgresql", { DATABASE_URL: cluster.url, JWT_SECRET: SECRET }),
    ];
    console.table(rows);
    console.log(JSON.stringify({ bench: "import", issues: ISSUES, comments: ISSUES * COMMENTS, LIMIT_SECONDS, rows }));
  } finally {
    cluster.remove();
  }
}

async function measure(engine: string, env: Record<string, string>) {
  const fleet = await startFleet(1, { ...env, TRACKWAY_BOOTSTRAP: "off" });
  try {
    const [from, to] = [await ownerAt(fleet.urls[0]), await ownerAt(fleet.urls[0])];
    from.write("issues.json", JSON.stringify(Array.from({ length: ISSUES }, (_, at) => githubIssue(at + 1))));
    const github = await timed(from, ["import", "github-json", "issues.json", "--team", "ENG"]);
    const again = await timed(from, ["import", "github-json", "issues.json", "--team", "ENG"]);
    const exported = await timed(from, ["export", "--output", "first.jsonl"]);
    to.write("first.jsonl", from.read("first.jsonl"));
    const own = await timed(to, ["import", "jsonl", "first.jsonl"]);
    await timed(to, ["export", "--output", "second.jsonl"]);
    const equal = to.read("second.jsonl") === from.read("first.jsonl");
    return { engine, github, again, exported, own, equal };
  } finally {
    await fleet.stop();
  }
}

async function ownerAt(url: string | undefined): Promise<CliUser> {
  const space = await createWorkspaceIn(await createOrganization({ url }));
  return createSignedInUser(space);
}

/** Measures the seconds of a command that must succeed. */
async function timed(person: CliUser, args: string[]): Promise<number> {
  const begun = performance.now();
  const ran = await runExecutable(person.home, args);
  if (ran.code !== 0) throw new Error(`trackway ${args.join(" ")} ended with ${ran.code}: ${ran.stderr}`);
  return Math.round((performance.now() - begun) / 100) / 10;
}

/** Builds an issue as `gh issue list --json` writes issues: with authors, labels, sometimes a parent, and comments. */
function githubIssue(number: number) {
  const day = (offset: number) => new Date(BEGUN + ((number + offset) % 700) * DAY_MS).toISOString();
  const url = `https://github.com/acme/parcels/issues/${number}`;
  const closed = number % 3 === 0;
  const parent = number - (number % 10) + 1;
  return {
    ...{
      number,
      url,
      title: `The parcel ${number} rattles`,
      body: `It rattles at ${number}.\n\n${"Steps. ".repeat(60)}`,
    },
    ...{ author: { login: `author${number % 40}` }, assignees: [{ login: `author${number % 7}` }] },
    ...{ labels: [{ name: `label ${number % 12}`, color: "d73a4a" }], milestone: { title: `Version ${number % 5}` } },
    ...{ state: closed ? "CLOSED" : "OPEN", stateReason: closed ? "COMPLETED" : "" },
    ...{ createdAt: day(0), updatedAt: day(9), closedAt: closed ? day(5) : null },
    ...(parent < number ? { parent: { number: parent, url: url.replace(/\d+$/, String(parent)) } } : {}),
    comments: Array.from({ length: COMMENTS }, (_, at) => ({
      ...{ id: `IC_${number}_${at}`, url: `${url}#issuecomment-${number}${at}`, author: { login: `author${at}` } },
      ...{ body: `Comment ${at}: does it rattle *loudly*? ${"Yes. ".repeat(20)}`, createdAt: day(at + 1) },
    })),
  };
}
