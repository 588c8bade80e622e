import type { IconName } from "../../parts/icons.tsx";

const KNOWN: [RegExp, IconName][] = [
  [/^(bash|shell|exec|run_command|terminal)/i, "bash"],
  [/^(edit|write|multiedit|apply_patch|notebookedit)/i, "edit"],
  [/^(read|view|cat)/i, "read"],
  [/^(grep|glob|search|find|ls)/i, "grep"],
  [/^(task|agent|explore|subagent)/i, "sub"],
  [/^(web|fetch|http)/i, "open"],
  [/[./]|__/, "mcp"],
];

/** Returns the icon of a tool by name. */
export const getToolIcon = (name: string): IconName => KNOWN.find(([pattern]) => pattern.test(name))?.[1] ?? "tools";
