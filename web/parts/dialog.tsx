import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { useModal } from "./modal.ts";

/** Modal dialog. Escape, the close button and a click outside close the dialog. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const { dialog, end } = useModal(close);
  return (
    <dialog class="dlg" aria-label={title} {...dialog} onKeyDown={(event) => event.stopPropagation()}>
      <header class="row">
        <h2>{title}</h2>
        <span class="acts">
          <button class="btn quiet sq" type="button" aria-label="Close" onClick={end}>
            <Icon name="x" class="i-14" />
          </button>
        </span>
      </header>
      {children}
    </dialog>
  );
}
