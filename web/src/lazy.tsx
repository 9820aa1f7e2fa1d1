// A view whose script is loaded when it is first shown.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading } from "./parts/basics";

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let View: ComponentType<P> | null = null;
  return function Lazy(props: P) {
    const [, setReady] = useState(View !== null);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (View) return;
      load().then((loaded) => { View = loaded; setReady(true); }, () => setFailed(true));
    }, []);
    if (View) return <View {...props} />;
    if (!failed) return <Loading />;
    return (
      <div class="problem" role="alert">
        <h2>This view could not be loaded</h2>
        <p>The server may have been updated or stopped.</p>
        <button type="button" onClick={() => location.reload()}>Reload the page</button>
      </div>
    );
  };
}
