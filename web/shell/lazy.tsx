import { type ComponentChild, type ComponentType, type FunctionComponent, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { callApi } from "../data/api.ts";
import { isRealtimeConnected } from "../data/realtime.ts";
import { LoadError } from "../parts/states.tsx";
import { Page } from "./page.tsx";

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

const UNLOADED = "Could not load the page";

/**
 * Returns a page component that is loaded when first shown. Without a connection, the component shows an error and
 * loads the page after the connection returns.
 */
export const lazyPage = <Props extends object>(load: Load<Props>) =>
  loading(load, (retry) => (
    <Page title={UNLOADED}>
      <LoadError
        title={UNLOADED}
        words="Trackway loads this page automatically when the server responds again."
        retry={retry}
      />
    </Page>
  ));

/**
 * Returns a component that is loaded when first shown. Without a connection, the component renders nothing and loads
 * after the connection returns.
 */
export const lazyComponent = <Props extends object>(load: Load<Props>) => loading(load, () => null);

function loading<Props extends object>(
  load: Load<Props>,
  missing: (retry: () => void) => ComponentChild,
): FunctionComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props) {
    const [, again] = useState(0);
    const [failed, setFailed] = useState(false);
    const tryLoad = (onFailure: () => unknown) =>
      load().then((module) => {
        loaded = module.default;
        setFailed(false);
        again((n) => n + 1);
      }, onFailure);
    const retry = () => tryLoad(reloadWhenUp);
    useEffect(() => {
      if (!loaded) void tryLoad(() => setFailed(true));
    }, []);
    useEffect(() => {
      if (!failed) return;
      let before = isRealtimeConnected.peek();
      const stop = isRealtimeConnected.subscribe((connected) => {
        if (connected && before === false) void retry();
        before = connected;
      });
      addEventListener("online", retry);
      return () => {
        stop();
        removeEventListener("online", retry);
      };
    }, [failed]);
    if (loaded) return h(loaded, props);
    return failed ? missing(retry) : null;
  };
}

/**
 * Reloads the whole document if the server responds. A browser may remember that a script failed to load until the
 * document is reloaded.
 */
const reloadWhenUp = (): Promise<void> =>
  callApi("GET /api/health/live", {}).then(
    () => location.reload(),
    () => {},
  );
