const ESC = "\u001b";
const ANSI = new RegExp(`${ESC}\\[[0-9;?]*[ -/]*[@-~]|${ESC}\\][^\u0007${ESC}]*(?:\u0007|${ESC}\\\\)`, "g");

/** A text without the codes that colour it in a terminal. */
export const withoutAnsi = (text: string): string => (text.includes(ESC) ? text.replace(ANSI, "") : text);
