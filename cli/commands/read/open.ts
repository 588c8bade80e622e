import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { Failure } from "../../failure.ts";
import { type Answering, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { ofIssue, worker } from "../../work/caller.ts";
import { ofOneIssue } from "../../work/issues.ts";

/** The programs that open an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

const AFTER = `
The browser is the one of BROWSER, else the system's.
Example:
  trackway open ENG-12
`;

/** `trackway open`: shows an issue in the browser. */
export const openCommand = (): Command =>
  withJson(ofOneIssue(new Command("open").description("open an issue in the browser, and say its address")))
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, { json }: Answering): Promise<void> {
  const who = await worker();
  const asked = who.ask<{ issue: { identifier: string; url: string } }>(ISSUE.url, { id });
  const { identifier, url } = (await ofIssue(id, asked)).issue;
  answer(json, { id: identifier, url }, () => [url]);
  await browse(url);
}

/** An address goes to the browser as one argument, past any shell. @throws Failure where none can be started */
async function browse(url: string): Promise<void> {
  if (!/^https?:\/\//.test(url)) throw new Failure("Its address is none of the web.", { cure: "trackway doctor" });
  const usual = OPENERS[process.platform] ?? ["xdg-open"];
  const [program, ...args] = process.env["BROWSER"] ? ([process.env["BROWSER"]] as const) : usual;
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  await once(child, "spawn").catch(() => {
    throw new Failure(`No browser could be started (${program}).`, { cure: "set BROWSER, or open the address" });
  });
  child.unref();
}
