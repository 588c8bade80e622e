import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "../icon.tsx";
import { showToast } from "../toast.tsx";

/** Copies a text to the clipboard. Without a clipboard API, as on plain HTTP, copies through a text field. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** Button that copies a text and confirms the copy. */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: ComponentChildren }) {
  const [done, setDone] = useState(false);
  const copy = () =>
    copyText(text).then(
      () => {
        setDone(true);
        setTimeout(() => setDone(false), 2_000);
      },
      () => showToast("The browser did not allow copying."),
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
