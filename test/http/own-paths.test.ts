import { readFileSync } from "node:fs";
import { expect } from "chai";
import { isReservedPathSegment } from "../../formats/own-paths.ts";
import { runCommand } from "../../server/admin/commands.ts";
import { controlPaths } from "../../server/control/index.ts";
import { graphiqlAssetPaths } from "../../server/graphql/http/graphiql.ts";
import { ingestPaths } from "../../server/ingest/middleware.ts";
import { oauthPaths } from "../../server/oauth/middleware.ts";
import { WEB_ROUTE_PATTERNS } from "../../server/web/paths.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";

/** Route patterns of the web app. */
const ROUTES = [...readFileSync("web/routes.ts", "utf8").matchAll(/^ {2}\["(\/[^"]*)"/gm)].map(([, path]) =>
  String(path),
);
/** First segments of all served paths that could be the urlKey of an organization. */
const SERVED = new Set(
  [
    ...controlPaths,
    ...graphiqlAssetPaths,
    ...ingestPaths,
    ...oauthPaths,
    ...WEB_ROUTE_PATTERNS,
    ...ROUTES,
    "/graphql",
    "/metrics",
  ]
    .map((path) => path.split("/")[1] ?? "")
    .filter((part) => /^[a-z0-9-]{1,64}$/.test(part)),
);

describe("reserved paths of the server", () => {
  it("are refused as urlKey of a new or renamed organization", async () => {
    expect([...SERVED]).to.include.members(["docs", "inbox", "failures", "usage", "projects", "cycles", "sdk"]);
    expect([...SERVED].filter((part) => !isReservedPathSegment(part))).to.deep.equal([]);
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    for (const urlKey of SERVED) {
      const { status, body } = await space.rest("POST", "/api/organization", { name: "Own", urlKey });
      expect([status, JSON.stringify(body)], urlKey).to.satisfy(([code, text]: [number, string]) =>
        code === 400 ? text.includes("urlKey") : false,
      );
      expect((await space.refuses("organizationUpdate", { input: { urlKey } })).field).to.equal("urlKey");
    }
    const args = ["create-owner", "docs@example.com", "--organization", "Docs"];
    expect(await runCommand(runtime, args).catch((error: Error) => error.message)).to.match(/^urlKey is missing or/);
  });

  it("stay the urlKey of an organization that already has one, and its links still work", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    for (const urlKey of [...SERVED].filter((part) => !/^(api|assets|graphql|metrics|oauth|v1)$/.test(part))) {
      const text = `update organization set "urlKey" = $2 where id = $1`;
      await runtime.db.query({ text, values: [space.organizationId, urlKey] });
      for (const link of [
        "issue/ENG-1/a-title",
        "project/plan-0123456789ab",
        "team/ENG",
        "profiles/ada",
        "settings/labels/1",
      ]) {
        const response = await fetch(`${space.url}/${urlKey}/${link}`, { headers: { Accept: "text/html" } });
        expect([urlKey, link, response.status, /<title>Trackway/.test(await response.text())]).to.deep.equal([
          ...[urlKey, link, 200, true],
        ]);
      }
    }
    const [kept] = (await runtime.db.query({
      text: `select "urlKey" from organization where id = $1`,
      values: [space.organizationId],
    })) as { urlKey: string }[];
    await space.does("organizationUpdate", { input: { name: "Renamed", urlKey: kept?.urlKey } });
  });

  it("respond with less than 500 to names longer than a file name may be", async () => {
    const { url } = await startSharedServer();
    const wrong: string[] = [];
    for (const part of ["", ...SERVED])
      for (const name of [255, 256, 5_000].flatMap((n) => [
        "a".repeat(n),
        `${"a".repeat(n)}.js`,
        `a.${"b".repeat(n)}`,
        `pictures/${"a".repeat(n)}`,
      ])) {
        const { status } = await fetch(`${url}/${part}/${name}`, { headers: { Accept: "text/html" } });
        if (status >= 500) wrong.push(`${status} /${part}/${name.slice(0, 20)} of ${name.length}`);
      }
    expect(wrong).to.deep.equal([]);
  });
});
