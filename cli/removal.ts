import { EXIT, Failure } from "./failure.ts";
import { tell } from "./output/print.ts";
import { askLine, canAsk } from "./prompt.ts";

/** The word that a person types to confirm a removal. */
const WORD = "delete";

/** The items that a command is about to remove: how many, and the lines of the first and the last. */
interface Removal {
  count: number;
  noun: string;
  first: string;
  last: string;
}

/** @throws Failure when nobody can confirm a removal: before anything is asked of the server. */
export function checkConfirmable(yes: boolean | undefined): void {
  if (!yes && !canAsk())
    throw new Failure("This asks, and nobody is there to answer.", { exit: EXIT.usage, cure: "--yes" });
}

/**
 * Shows what a command is about to remove. At a terminal a person types a word; elsewhere --yes has confirmed it.
 * @throws Failure when nobody confirms it
 */
export async function confirmRemoval({ count, noun, first, last }: Removal, yes: boolean | undefined): Promise<void> {
  tell(`${count} ${noun}${count === 1 ? "" : "s"} to delete.`);
  tell(`first: ${first}`);
  if (count > 1) tell(`last: ${last}`);
  if (yes) return;
  const typed = await askLine(`Type ${WORD} to delete ${count === 1 ? "it" : `all ${count}`}.`, "--yes");
  if (typed?.trim() !== WORD) throw new Failure("Stopped; nothing was deleted.");
}
