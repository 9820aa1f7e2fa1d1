// Mounts the page.
import { render } from "preact";
import "../styles/base.css";
import "../styles/shell.css";
import "../styles/parts.css";
import "../styles/views.css";
import { Shell } from "./shell";
import { applyTheme } from "./theme";

applyTheme();
render(<Shell />, document.getElementById("page")!);
