// Puts `unclobbered` (src/engine/dom/tree/dom_clobbering.ts) before every access to what a page could hide: `form.parentNode` is a field
// where the form has one of that name. `dom_clobbering.json` lists the members; a test holds it against the browser.
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";

const here = import.meta.dirname;
const listed = JSON.parse(readFileSync(join(here, "dom_clobbering.json"), "utf8"));
const MODULE = join(here, "src", "engine", "dom", "tree", "dom_clobbering.ts");
const FOLDERS = ["content", "hit_safety", join("engine", "dom")].map(
  (folder) => join(here, "src", folder) + sep,
);

/** What arrays and strings have too, read where no form comes. */
const COMMON = new Set(["length", "constructor", "toString", "valueOf"]);
/** What is read of fields by their kind, which a form doesn't have but its fields may be called. */
const OF_FIELDS =
  `checked control disabled files form href indeterminate label labels list multiple open options
  required selected selectedIndex selectedOptions src type value`.split(/\s+/);
/** Names of a document's members that other objects have too. */
const SHARED = new Set(["all", "clear", "close", "links", "write"]);

const anywhere = new Set([
  ...listed.form,
  ...listed.document.filter((name) => !SHARED.has(name)),
  ...OF_FIELDS,
]);
const ofDocuments = new Set([...anywhere, ...SHARED]);
for (const name of COMMON) for (const set of [anywhere, ofDocuments]) set.delete(name);
/** What the engine's own records are called: to check them would take time, for they are many. */
const NO_NODES = new Set("Node context extra facts record records style subject tree".split(" "));
/** Names that only elements have: parameters can't be taken apart by them. */
const TELLING = new Set("children localName nodeType parentElement parentNode shadowRoot tagName".split(" "));

/** The plugin of the bundler. */
export function unclobberAccesses() {
  return {
    name: "dom-clobbering",
    enforce: "post",
    transform(code, id) {
      const [file] = id.split("?");
      if (file === MODULE || !FOLDERS.some((folder) => file.startsWith(folder))) return null;
      const edits = [];
      walk(this.parse(code), null, (node, parent) => look(node, parent, code, edits, file));
      if (!edits.length) return null;
      return {
        code: `import { unclobbered as $unclobbered } from ${JSON.stringify(MODULE)};\n${apply(code, edits)}`,
        map: null,
      };
    },
  };
}

function look(node, parent, code, edits, file) {
  if (node.type === "MemberExpression" && !node.computed && isHideable(node)) {
    wrap(node.object, edits);
    if (node.optional || !isOptional(node.object)) return;
    // What was skipped with the part that is wrapped now is skipped still.
    const dot = code.indexOf(".", node.object.end);
    edits.push({ at: dot, text: "?" });
  }
  if (parent?.type === "VariableDeclarator" && NO_NODES.has(parent.init?.name)) return;
  if (
    node.type !== "ObjectPattern" ||
    !node.properties.some((each) => TELLING.has(each.key?.name) || isOf(each))
  )
    return;
  if (parent?.type === "VariableDeclarator" && parent.init && parent.init.type !== "ThisExpression")
    wrap(parent.init, edits);
  else if (node.properties.some((each) => TELLING.has(each.key?.name)))
    throw new Error(`${file}: an element that isn't a variable's value can't be taken apart`);
}

const isOf = (property) =>
  property.type === "Property" && !property.computed && anywhere.has(property.key.name);

function isHideable({ object, property }) {
  if (property.type !== "Identifier" || object.type === "ThisExpression" || object.type === "Super")
    return false;
  const name = object.type === "Identifier" ? object.name : object.property?.name;
  if (NO_NODES.has(name)) return false;
  return (/document$/i.test(name ?? "") ? ofDocuments : anywhere).has(property.name);
}

/** Whether an expression may be skipped as part of an optional chain. */
function isOptional(node) {
  if (node.type === "MemberExpression") return node.optional || isOptional(node.object);
  if (node.type === "CallExpression") return node.optional || isOptional(node.callee);
  return node.type === "TSNonNullExpression" ? isOptional(node.expression) : false;
}

function wrap({ start, end }, edits) {
  edits.push(
    { at: start, text: "$unclobbered(", opens: end - start },
    { at: end, text: ")", closes: end - start },
  );
}

/** Insertions in order; of several in one place, the outer opens first and closes last. */
function apply(code, edits) {
  const order = (a, b) =>
    a.at - b.at || rank(a) - rank(b) || (b.opens ?? 0) - (a.opens ?? 0) || (a.closes ?? 0) - (b.closes ?? 0);
  let done = "";
  let from = 0;
  for (const { at, text } of edits.sort(order)) {
    done += code.slice(from, at) + text;
    from = at;
  }
  return done + code.slice(from);
}

const rank = ({ closes, opens }) => (closes ? 0 : opens ? 2 : 1);

function walk(node, parent, visit) {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child.type === "string") walk(child, node, visit);
    }
  }
}
