/** A person as a file names one: an address, or a name. */
export function person(text: string | undefined | null): { name: string; email?: string } | undefined {
  const name = text?.trim().slice(0, 256);
  if (!name) return undefined;
  return /^\S+@\S+\.\S+$/.test(name) ? { name, email: name.toLowerCase() } : { name };
}
