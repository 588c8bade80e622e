import { type ExitCodeReader, parseOptionalNumber, type Tools, type Wording, withoutAction } from "../tools.ts";

export const tools: Tools = {
  create: "write",
  str_replace: "edit",
  str_replace_editor: "edit",
  ...withoutAction("view"),
};

export const readExitCode: ExitCodeReader = ({ result }) =>
  parseOptionalNumber(/<(?:shellId: \S+ completed|exited) with exit code (-?\d+)>\s*$/.exec(result)?.[1]);

export const wording: Wording = { silent: [/<(?:shellId: \S+ completed|exited) with exit code \d+>/] };
