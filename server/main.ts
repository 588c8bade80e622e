// The check of the Node.js version comes before the other imports. An old Node.js would fail at the other imports
// before any line runs.
import "#node-version";

// In a container, process 1 receives only signals with a handler. Without a handler, the process could not be stopped
// during the start. An exit during the start has the same effect as a kill; the next start resumes.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));

// A closed log stream must not stop the server.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// Libraries read the working folder when they load, and fail when the folder was deleted.
const { DELETED_FOLDER_MESSAGE: inDeletedFolder, findWorkingFolder: workingFolder } = await import(
  "../system/places.ts"
);
if (workingFolder() === undefined) {
  const { BACKUP_DIR, DATABASE_URL, DATA_DIR } = process.env;
  const used = [BACKUP_DIR || "/", DATABASE_URL ? "/" : DATA_DIR || "./data"];
  if (!used.every((path) => path.startsWith("/"))) {
    process.stderr.write(`trackway: ${inDeletedFolder}\n`);
    process.exit(2);
  }
  process.chdir("/");
}

await import("./run.ts");
