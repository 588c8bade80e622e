import { useCallback, useRef, useState } from "preact/hooks";
import { Popover } from "../../parts/choose/popover.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { IconName } from "../../parts/icons.tsx";
import { copyText } from "../../parts/texts/copy.tsx";
import { showToast } from "../../parts/toast.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { isCurrentUserOwner } from "../settings/parts.tsx";
import { CompareRunDialog } from "./compare-with.tsx";
import type { EventTree } from "./events.ts";
import { downloadFile, exportJson, exportMarkdown } from "./export/export.ts";
import { DeleteSessionDialog, HoldSessionDialog, ReleaseSessionDialog } from "./owner-actions.tsx";
import type { SessionData } from "./readings.ts";

interface MenuProps {
  recorded: SessionData;
  tree: EventTree;
  /** Reads the session again. */
  reload: () => void;
}

/** Dialogs that the menu opens. */
type Asked = "compare" | "hold" | "release" | "delete";

/** Menu of the actions on a session. */
export function SessionMenu({ recorded, tree, reload }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [asked, ask] = useState<Asked>();
  const close = useCallback(() => setOpen(false), []);
  useKeyboardShortcuts({ b: () => ask("compare") });
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => ask("compare")}>
        Compare
      </button>
      <button
        class="btn sq"
        type="button"
        ref={button}
        aria-label="More"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="dots" class="i-14" />
      </button>
      {isOpen && button.current && (
        <Popover anchor={button.current} label="More" close={close} atEnd>
          <Items recorded={recorded} tree={tree} ask={ask} close={close} />
        </Popover>
      )}
      <Asks asked={asked} recorded={recorded} reload={reload} close={() => ask(undefined)} />
    </>
  );
}

interface ItemsProps extends Pick<MenuProps, "recorded" | "tree"> {
  ask: (what: Asked) => void;
  close: () => void;
}

function Items({ recorded, tree, ask, close }: ItemsProps) {
  const doing = (act: () => void) => () => {
    close();
    act();
  };
  const save = (ending: string, write: (recorded: SessionData, tree: EventTree) => Promise<string>) =>
    doing(() => {
      write(recorded, tree).then(
        (text) => downloadFile(`session-${recorded.id}.${ending}`, text),
        (error: Error) => showToast(error.message),
      );
    });
  const copy = doing(() => void copyText(location.href).then(() => showToast("Link copied.")));
  const isHeld = recorded.holdReason !== null;
  return (
    <>
      <Item icon="sessions" name="Compare with another run…" keyName="B" act={doing(() => ask("compare"))} />
      <Item icon="link" name="Copy link" act={copy} />
      <hr />
      <Item
        icon="ship"
        name="Save as one HTML file"
        detail="Opens offline, contains no scripts"
        act={save("html", async (...session) => (await import("./export/html.ts")).exportHtml(...session))}
      />
      <Item icon="read" name="Save as Markdown" act={save("md", exportMarkdown)} />
      <Item icon="ship" name="Save as JSON" act={save("json", exportJson)} />
      {isCurrentUserOwner() && (
        <>
          <hr />
          <Item
            icon="flag"
            name={isHeld ? "Release…" : "Hold…"}
            detail={isHeld ? "Retention rules apply again" : "Retention does not delete the session"}
            act={doing(() => ask(isHeld ? "release" : "hold"))}
          />
          <Item icon="x" name="Delete…" detail="You cannot undo this" act={doing(() => ask("delete"))} />
        </>
      )}
    </>
  );
}

interface ItemProps {
  icon: IconName;
  name: string;
  detail?: string;
  keyName?: string;
  act: () => void;
}

const Item = ({ icon, name, detail, keyName, act }: ItemProps) => (
  <button class={detail ? "mi two" : "mi"} type="button" onClick={act}>
    <Icon name={icon} class="i-14" />
    <span>
      {name}
      {detail && <small>{detail}</small>}
    </span>
    {keyName && (
      <span class="end only-wide" aria-hidden="true">
        <kbd>{keyName}</kbd>
      </span>
    )}
  </button>
);

interface AsksProps extends Pick<MenuProps, "recorded" | "reload"> {
  asked: Asked | undefined;
  close: () => void;
}

function Asks({ asked, recorded, reload, close }: AsksProps) {
  const { id } = recorded;
  if (asked === "compare") return <CompareRunDialog recorded={recorded} close={close} />;
  if (asked === "hold") return <HoldSessionDialog id={id} reload={reload} close={close} />;
  if (asked === "release")
    return <ReleaseSessionDialog id={id} reload={reload} close={close} reason={recorded.holdReason ?? ""} />;
  return asked === "delete" ? <DeleteSessionDialog id={id} close={close} /> : null;
}
