// Has one operation on files below a folder fail, as on a disk that breaks: the one with number FAIL_AT, from 1. Loaded by
// --require, before the program. FAIL_NOTE is a file that is created when the operation was reached.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { resolve } = require("node:path");

const { FAIL_AT, FAIL_BELOW, FAIL_NOTE } = process.env;
const note = fs.writeFileSync;
let operations = 0;

function check(name, path) {
  // Modules are loaded by their URLs.
  if (path instanceof URL || !resolve(String(path)).startsWith(FAIL_BELOW)) return;
  operations += 1;
  if (operations !== Number(FAIL_AT)) return;
  note(FAIL_NOTE, `${name} ${path}`);
  throw Object.assign(new Error(`EIO: i/o error, ${name} '${path}'`), { code: "EIO", syscall: name, path });
}

const OPERATIONS =
  "access appendFile chmod copyFile lstat mkdir open opendir readFile readdir readlink rename rm rmdir stat unlink";
for (const name of `${OPERATIONS} utimes writeFile`.split(" ")) {
  const original = fs.promises[name];
  fs.promises[name] = async (path, ...more) => {
    check(name, path);
    const result = await original(path, ...more);
    if (name === "open") breakHandle(result, path);
    return result;
  };
}
fs.promises.realpath = (
  (original) =>
  async (path, ...more) => {
    check("realpath", path);
    return original(path, ...more);
  }
)(fs.promises.realpath);

function breakHandle(handle, path) {
  for (const name of ["read", "write", "writeFile", "appendFile", "chmod", "chown", "sync", "close", "stat"]) {
    const original = handle[name].bind(handle);
    handle[name] = async (...more) => {
      // A handle that does not close would end the process by another error.
      if (name !== "close") check(name, path);
      return original(...more);
    };
  }
}
syncBuiltinESMExports();
