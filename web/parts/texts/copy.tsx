import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "../icon.tsx";
import { toast } from "../toast.tsx";

/** Puts a text into the clipboard. Where the browser has none, as on plain http, the old way serves. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** A button that copies a text, and says so. */
export function Copy({ text, label, children }: { text: string; label: string; children?: ComponentChildren }) {
  const [done, setDone] = useState(false);
  const copy = () =>
    copyText(text).then(
      () => {
        setDone(true);
        setTimeout(() => setDone(false), 2_000);
      },
      () => toast("The browser did not let this be copied."),
    );
  return (
    <button
      class={children ? "btn" : "btn quiet sq"}
      type="button"
      onClick={copy}
      title={label}
      aria-label={children ? undefined : label}
    >
      <Icon name={done ? "check" : "copy"} class="i-14" />
      {children}
      <span class="sr" role="status">
        {done ? "Copied" : ""}
      </span>
    </button>
  );
}
