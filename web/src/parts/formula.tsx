// A formula as MathML. It travels as a tree and becomes elements one by one, so
// its text can never become markup.
import { h, type VNode } from "preact";

export interface MathTree {
  tag: string;
  text?: string;
  children?: MathTree[];
  attributes?: Record<string, string>;
}

const TAGS = new Set([
  "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "msqrt", "mroot", "mfrac", "msup", "msub", "msubsup",
  "mover", "munder", "munderover", "mfenced", "mpadded", "mstyle", "mtable", "mtr", "mtd",
]);
const ATTRIBUTES = new Set(["display", "mathvariant", "stretchy", "fence", "separator", "width", "linethickness"]);

function element(tree: MathTree, key: number): VNode {
  const tag = TAGS.has(tree.tag) ? tree.tag : "mrow";
  const attributes: Record<string, string | number> = { key };
  for (const [name, value] of Object.entries(tree.attributes ?? {})) {
    if (ATTRIBUTES.has(name)) attributes[name] = value;
  }
  return h(tag as "mrow", attributes as {}, tree.text ?? (tree.children ?? []).map(element));
}

export function Formula({ tree, text }: { tree?: MathTree | null; text: string }) {
  if (!tree) return <code class="formula">{text}</code>;
  const inner = tree.tag === "math" ? tree.children ?? [] : [tree];
  return (
    <div class="formula" role="img" aria-label={text}>
      {h("math" as "mrow", { display: "block", "aria-hidden": true } as {}, inner.map(element))}
    </div>
  );
}
