import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandFailure, EXIT_CODES } from "../failure.ts";

const editorOf = (env: NodeJS.ProcessEnv): string | undefined => env["VISUAL"]?.trim() || env["EDITOR"]?.trim();

/** Opens a text in the user's editor and returns the result. @throws CommandFailure if the text is empty or unchanged */
export async function editTextInEditor(before = ""): Promise<string> {
  const editor = editorOf(process.env);
  if (!editor)
    throw new CommandFailure("No editor is set.", {
      exit: EXIT_CODES.usage,
      cure: "set EDITOR=vi, or give the text as an argument",
    });
  const folder = await mkdtemp(join(tmpdir(), "trackway-"));
  const path = join(folder, "TEXT.md");
  try {
    await writeFile(path, before && `${before}\n`, { mode: 0o600 });
    // By convention, VISUAL and EDITOR contain a shell command that may include options, so the command runs in a
    // shell.
    const child = spawn(`${editor} "$TRACKWAY_TEXT"`, {
      shell: true,
      stdio: "inherit",
      env: { ...process.env, TRACKWAY_TEXT: path },
    });
    const [code] = await once(child, "close");
    if (code !== 0)
      throw new CommandFailure(`${editor} ended with code ${code}.`, { cure: "set EDITOR to another program" });
    const text = (await readFile(path, "utf8")).trim();
    if (text && text !== before.trim()) return text;
    throw new CommandFailure("The text is empty or unchanged, so nothing was saved.", {
      cure: "run the command again, or give the text as an argument",
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens an issue in the user's editor: the title on the first line, the description below. */
export async function editIssueInEditor(title = "", description = ""): Promise<{ title: string; description: string }> {
  const [first = "", ...rest] = (await editTextInEditor(`${title}\n\n${description}`.trim())).split("\n");
  return { title: first.replace(/^#+ /, "").trim(), description: rest.join("\n").trim() };
}
