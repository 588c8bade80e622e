import type { RequestContext } from "../request-context.ts";

/** A thing an argument names: the resource kind that reads and completes it. */
type Kind = "team" | "issue" | "session";

/** An argument of a prompt; all are texts. */
export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  /** The kind of name, for completion. */
  kind?: Kind;
}

/** A ready-made task for the model. */
export interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: PromptArgument[];
  /** The message a user would write. */
  text(args: Record<string, string>, context: RequestContext): string | Promise<string>;
  /** The argument whose thing is put beside the text. */
  attached?: string;
}
