import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { knex, toStatement } from "../../db/builder.ts";
import type { Config } from "../config.ts";
import type { Runtime } from "../runtime.ts";
import { writeTextWhole } from "../whole-file.ts";
import { makeOwner } from "./owner.ts";
import { overHttp, welcomeText } from "./welcome-text.ts";

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * On an empty embedded database: makes an owner, an organization, its first team and both kinds of key, keeps them in
 * DATA_DIR/first-run.txt (mode 0600), and answers the text that a newcomer is shown once. Undefined on every later
 * start, with DATABASE_URL, and where strangers could reach the server. `mcp` tells where MCP is served over HTTP: a key is
 * never shown beside a port that someone else holds.
 */
export async function firstStart(
  runtime: Runtime,
  url: string,
  mcp: Promise<string | undefined>,
): Promise<string | undefined> {
  const { config, db } = runtime;
  if (!wanted(config)) return undefined;
  const begun = join(config.DATA_DIR, "first-run.begun");
  const [account] = await db.query(toStatement(knex("account").limit(1).select("id")));
  if (account && !existsSync(begun)) return undefined;
  // A first start that was killed goes on where it ended: nobody has seen its credentials yet.
  await writeTextWhole(begun, "");
  const owner = await makeOwner(runtime);
  const text = welcomeText(config, url, owner, overHttp(config, await mcp, owner));
  await writeTextWhole(join(config.DATA_DIR, "first-run.txt"), text);
  await rm(begun);
  return text;
}

const wanted = ({ DATABASE_URL, HOST, TRACKWAY_BOOTSTRAP }: Config): boolean =>
  !DATABASE_URL && (TRACKWAY_BOOTSTRAP ? TRACKWAY_BOOTSTRAP === "on" : LOOPBACK.has(HOST));
