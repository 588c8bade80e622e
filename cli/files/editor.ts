import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, Failure } from "../failure.ts";

const editorOf = (env: NodeJS.ProcessEnv): string | undefined => env["VISUAL"]?.trim() || env["EDITOR"]?.trim();

/** Lets somebody write a text in their editor. @throws Failure where they left it empty or as it was */
export async function editedText(before = ""): Promise<string> {
  const editor = editorOf(process.env);
  if (!editor) throw new Failure("No editor is set.", { exit: EXIT.usage, cure: "EDITOR=vi, or the text itself" });
  const folder = await mkdtemp(join(tmpdir(), "trackway-"));
  const path = join(folder, "TEXT.md");
  try {
    await writeFile(path, before && `${before}\n`, { mode: 0o600 });
    // The variable is a command with options of its own, as for every program that reads it.
    const child = spawn(`${editor} "$TRACKWAY_TEXT"`, {
      shell: true,
      stdio: "inherit",
      env: { ...process.env, TRACKWAY_TEXT: path },
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Failure(`${editor} ended with code ${code}.`, { cure: "set EDITOR to another program" });
    const text = (await readFile(path, "utf8")).trim();
    if (text && text !== before.trim()) return text;
    throw new Failure("Nothing was written, so nothing is changed.", { cure: "again, or the text itself" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lets somebody write an issue: its title on the first line, and its description below. */
export async function editedIssue(title = "", description = ""): Promise<{ title: string; description: string }> {
  const [first = "", ...rest] = (await editedText(`${title}\n\n${description}`.trim())).split("\n");
  return { title: first.replace(/^#+ /, "").trim(), description: rest.join("\n").trim() };
}
