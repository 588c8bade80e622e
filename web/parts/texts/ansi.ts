const ESC = "\u001b";
const ANSI = new RegExp(`${ESC}\\[[0-9;?]*[ -/]*[@-~]|${ESC}\\][^\u0007${ESC}]*(?:\u0007|${ESC}\\\\)`, "g");

/** Removes ANSI escape codes, which color text in a terminal. */
export const removeAnsi = (text: string): string => (text.includes(ESC) ? text.replace(ANSI, "") : text);
