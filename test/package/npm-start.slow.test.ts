import { mkdtempSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";

const env = () => ({ DATA_DIR: join(mkdtempSync(join(tmpdir(), "trackway-npm-")), "data"), TRACKWAY_BOOTSTRAP: "off" });

describe("a server started by npm", () => {
  it("stops when npm receives a signal, although npm's shell passes on no signal", async () => {
    const server = spawnServer(env(), ["npm", "start"]);
    const [, url] = await server.printed(LISTENING_LINE);
    expect((await fetch(`${url}/api/health/live`)).status).to.equal(200);
    const deadline = AbortSignal.timeout(30_000);
    server.child.kill("SIGTERM");
    // The output ends when the last process that writes to the stream ends.
    await Promise.race([server.ended, new Promise((_, late) => deadline.addEventListener("abort", late))]);
    expect(server.output()).to.match(/"msg":"stopped"/);
    const gone = await fetch(`${url}/api/health/live`).catch(() => "gone");
    expect(gone).to.equal("gone");
  });
});

describe("a server on an IPv6 address", () => {
  it("prints its address in a usable form", async function () {
    if (!Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"))) this.skip();
    const server = spawnServer({ ...env(), HOST: "::1" });
    const [, url = ""] = await server.printed(LISTENING_LINE);
    expect(new URL(url).hostname).to.equal("[::1]");
    expect((await fetch(`${url}/api/health/live`)).status).to.equal(200);
    expect(await server.stop()).to.equal(0);
  });
});
