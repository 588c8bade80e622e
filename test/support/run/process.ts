import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { keepFailures } from "./job-failures.ts";

/** A server run as a person runs it, in a process of its own. */
export interface ServerProcess {
  child: ChildProcess;
  /** All it printed so far. */
  output(): string;
  /** Resolves with the first match in its output, rejects when it ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal and resolves with the exit code (null when a signal ended it). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the exit code when it ends by itself. */
  ended: Promise<number | null>;
}

/** Starts `server/main.ts` with this environment and nothing of Trackway's from our own. */
export function spawnServer(env: Record<string, string>, command: readonly string[] = MAIN): ServerProcess {
  const [program = "node", ...args] = command;
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DATABASE|JWT|TEST_|NODE_)/.test(name)),
  );
  const child = spawn(program, args, {
    env: { ...clean, MCP_PORT: "0", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      for (const listener of listeners) listener();
    });
  }
  const ended = once(child, "close").then(([code]) => {
    keepFailures(text);
    return code as number | null;
  });
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text);
        if (found) resolve(found);
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without printing ${pattern}:\n${text}`)));
    });
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { child, output: () => text, printed, stop, ended };
}

/** The command of `npm start`. */
const MAIN: string[] = JSON.parse(readFileSync("package.json", "utf8")).scripts.start.split(" ");

/** The log line of a server that listens. */
export const LISTENING = /"url":"(http:[^"]+)"[^\n]*Trackway is listening/;
