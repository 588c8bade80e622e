// Runs `restore` for the trial of a scheduled backup. The process ends with its parent server, whose end of the
// pipe then closes.
process.stdin.resume().once("close", () => process.exit(1));
await import("./restore-file.ts");
// Otherwise the open pipe would keep the process alive.
process.stdin.removeAllListeners("close").destroy();
