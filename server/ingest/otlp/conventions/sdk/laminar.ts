import type { Convention, Meaning } from "../../meaning/convention.ts";
import { ADDED } from "../gen-ai.ts";

const KIND = "lmnr.span.type";
const OURS = "lmnr.span.path";
const INPUT = "lmnr.span.input";
const OUTPUT = "lmnr.span.output";

/** A function without an input only holds what it calls. */
const SOMETHING = /^(?!\{\}$|\[\]$)/;
/** An exception leaves the status of its span unset. */
const failedBy = ["@event/exception/exception.message"];

const span: Meaning = {
  failedBy,
  name: "@name",
  args: { at: INPUT, as: "json" },
  result: { at: OUTPUT, as: "json" },
};

/** Laminar's own spans; those of model calls and of frameworks follow other conventions. */
export const laminar: Convention = {
  name: "Laminar",
  sessionId: [...ADDED.session, "session.id"],
  userId: [...ADDED.user, "user.id"],
  spans: [
    { ...span, where: { [KIND]: /^TOOL$/ }, kind: "tool" },
    {
      where: { [OURS]: true, [INPUT]: SOMETHING },
      root: true,
      kind: "turn",
      failedBy,
      name: "@name",
      args: { at: INPUT, as: "prompt" },
      result: { at: OUTPUT, as: "message" },
      ends: "turn",
    },
    { ...span, where: { [OURS]: true, [INPUT]: SOMETHING }, kind: "other" },
  ],
};
