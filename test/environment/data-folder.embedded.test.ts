import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";

/**
 * Two user ids without an entry in the system: the user who runs the server, and the owner of a file in the data
 * folder.
 */
const [RUNNER, OWNER] = [23_456, 23_457];

/** Starts the server as an unprivileged user and waits until the server exits. */
async function start(directory: string) {
  const child = spawn(process.execPath, ["dist/server/main.js"], {
    env: { PATH: process.env["PATH"], DATA_DIR: directory, PORT: "0", MCP_PORT: "0", HOME: directory },
    uid: RUNNER,
    gid: RUNNER,
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  clearTimeout(timer);
  return { code, out, err };
}

function ownAll(path: string, user: number): void {
  chownSync(path, user, user);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), user, user);
}

describe("the error for an unusable data folder", () => {
  let parent: string;
  let empty: string;
  before(function () {
    if (process.geteuid?.() !== 0) this.skip();
    parent = mkdtempSync(join("/tmp", "trackway-folder-"));
    chmodSync(parent, 0o755);
    empty = join(parent, "empty");
    copyEmptyDatabase(empty);
  });
  after(() => parent && rmSync(parent, { recursive: true, force: true }));

  /** Creates a folder that the runner owns, with a database. */
  const folder = (name: string): string => {
    const path = join(parent, name);
    cpSync(empty, path, { recursive: true });
    ownAll(path, RUNNER);
    return path;
  };

  it("names its owner and the chown command, for any part that belongs to another user", async () => {
    const parts = [
      "",
      "database",
      "database/PG_VERSION",
      "database/global/pg_control",
      "database/base",
      "jwt-secret",
      "database.lock",
    ];
    for (const part of parts) {
      const path = folder(`of-another-${parts.indexOf(part)}`);
      const target = join(path, part);
      if (!existsSync(target)) writeFileSync(target, "x".repeat(64));
      chmodSync(target, part === "" || ["database", "database/base"].includes(part) ? 0o700 : 0o600);
      chownSync(target, OWNER, OWNER);
      const { code, err } = await start(path);
      expect(code, `${part}: ${err}`).to.equal(2);
      expect(err, part).to.match(/^trackway: DATA_DIR: [^\n]+\n$/);
      expect(err, part).to.match(/belongs to user 23457, and this process runs as user 23456; .*sudo chown -R 23456 /);
      expect(err, part).to.not.match(/restore|backup|choose|free|another DATA_DIR/);
    }
  });

  it("suggests a separate fix for each other cause, and never one that could lose data", async () => {
    const file = join(parent, "file");
    writeFileSync(file, "");
    chownSync(file, RUNNER, RUNNER);
    const cases: [string, string, RegExp][] = [
      ["a file in its place", file, /a file stands where a folder must be|is no folder|cannot be used/],
      ["a folder that cannot be made", join(parent, "new"), /create .*new and give it to user 23456/],
    ];
    const broken = folder("broken");
    rmSync(join(broken, "database/PG_VERSION"));
    cases.push(["no PG_VERSION", broken, /holds no PG_VERSION/]);
    const damaged = folder("damaged");
    writeFileSync(join(damaged, "database/global/pg_control"), "no control file");
    chownSync(join(damaged, "database/global/pg_control"), RUNNER, RUNNER);
    cases.push(["a damaged database", damaged, /does not open .*nothing was changed\. Copy this folder/]);
    const locked = folder("locked");
    rmSync(join(locked, "database.lock"), { force: true });
    mkdirSync(join(locked, "database.lock"));
    chownSync(join(locked, "database.lock"), RUNNER, RUNNER);
    cases.push(["a folder in the place of the lock", locked, /cannot be used.*EISDIR/]);
    for (const [name, path, pattern] of cases) {
      const { code, err } = await start(path);
      expect(code, `${name}: ${err}`).to.equal(2);
      expect(err, name)
        .to.match(/^trackway: DATA_DIR: [^\n]+\n$/)
        .and.match(pattern);
      expect(err, name).to.not.match(/restore a backup|choose a directory|free space/);
    }
  });
});
