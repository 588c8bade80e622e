#!/usr/bin/env -S node --max-semi-space-size=16 --enable-source-maps
// The command `trackway-server` of an installed package: starts the server or runs an operator's program. In a
// checkout, npm scripts do the same.
import "./node-version.js";

const PROGRAMS = {
  start: () => import("../dist/server/main.js"),
  admin: () => import("../dist/server/admin/admin.js"),
  backup: () => import("../dist/server/admin/backup.js"),
  restore: () => import("../dist/server/admin/restore-file.js"),
};

const [name = "start"] = process.argv.splice(2, 1);
if (Object.hasOwn(PROGRAMS, name)) await PROGRAMS[name]();
else {
  process.stderr.write(`trackway-server: there is no command ${name}; it takes ${Object.keys(PROGRAMS).join(", ")}\n`);
  process.exitCode = 2;
}
