import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LISTENING_LINE, spawnServer } from "../../test/support/run/process.ts";
import { createOrganization, sendGraphQL, type Tenant } from "../../test/support/server.ts";
import { createTeam } from "../../test/support/tracker/stream-writes.ts";
import type { Finding } from "../servers/judge.ts";
import type { Build } from "./build.ts";

/**
 * Opens one directory with the old build, the next build and the old build again. Each build must find the data of
 * the builds before.
 */
export async function checkEmbeddedUpgrade({ old, next }: Record<"old" | "next", Build>): Promise<Finding[]> {
  const DATA_DIR = join(mkdtempSync(join(tmpdir(), "trackway-upgrade-")), "data");
  const findings: Finding[] = [];
  let owner: (Pick<Tenant, "apiKey"> & { teamId: string }) | undefined;
  for (const [at, { name, command }] of [old, next, old].entries()) {
    const server = spawnServer({ DATA_DIR, TRACKWAY_BOOTSTRAP: "off" }, command);
    const listening = await server.printed(LISTENING_LINE).catch(() => undefined);
    if (!listening) {
      const [code, said] = [await server.ended, server.output().trim()];
      const held = code === 2 && !said.includes("\n");
      return [...findings, { what: `embedded: ${name} refused before the start: ${said}`, figure: code ?? 0, held }];
    }
    const [, url = ""] = listening;
    if (!owner) {
      const tenant = await createOrganization({ url });
      owner = { apiKey: tenant.apiKey, teamId: await createTeam(tenant) };
    }
    await sendGraphQL(url, owner.apiKey, {
      query: "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }",
      variables: { input: { teamId: owner.teamId, title: `Issue ${at}` } },
    });
    const { data } = await sendGraphQL(url, owner.apiKey, { query: "{ issues { nodes { title } } }" });
    const there = data?.issues.nodes.length ?? 0;
    await server.stop();
    findings.push({
      what: `embedded: issues that ${name} finds as start ${at + 1}`,
      figure: there,
      held: there === at + 1,
    });
  }
  return findings;
}
