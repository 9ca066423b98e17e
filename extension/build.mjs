// Builds the extension into skillbook/_extension (or the folder given), replacing that folder in one step,
// so that a browser that starts meanwhile never loads half a build; and the notebook's widgets into skillbook/notebook/static.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { build } from "vite";

const here = import.meta.dirname;
const target = resolve(process.argv[2] ?? join(here, "..", "skillbook", "_extension"));
await mkdir(dirname(target), { recursive: true });
// A checkout that was built before may lack a package that came since.
if (!existsSync(join(here, "node_modules", "preact")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" });
const stage = await mkdtemp(join(dirname(target), "._extension-"));
const old = `${stage}-old`;
const widgets = join(here, "..", "skillbook", "notebook", "static");

/** Each package that is bundled, with those that it needs in turn: its name, version and licence. */
async function notices(names, known = new Set()) {
  const texts = [];
  for (const name of names.filter((one) => !known.has(one))) {
    known.add(name);
    const folder = join(here, "node_modules", name);
    const { version, dependencies = {} } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    texts.push(`${name} ${version}\n\n${(await readFile(join(folder, "LICENSE"), "utf8")).trim()}\n`);
    texts.push(...(await notices(Object.keys(dependencies), known)));
  }
  return texts;
}

try {
  for (const mode of ["pages", "background", "content", "causes", "pair", "databases"]) {
    await build({ configFile: join(here, "vite.config.ts"), mode, build: { outDir: stage } });
  }
  for (const page of ["popup", "confirm", "side_panel"]) {
    await rename(join(stage, page, "index.html"), join(stage, `${page.replace("_", "")}.html`));
    await rm(join(stage, page), { recursive: true });
  }
  await cp(join(here, "public"), stage, { recursive: true });
  await cp(join(here, "manifest.json"), join(stage, "manifest.json"));
  const { dependencies } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  const all = (await notices(Object.keys(dependencies))).join(`\n${"-".repeat(72)}\n\n`);
  await writeFile(join(stage, "THIRD_PARTY_NOTICES.txt"), `This extension contains:\n\n${all}`);
  const panel = join(stage, "panel");
  await build({ configFile: join(here, "vite.config.ts"), mode: "notebook", build: { outDir: panel } });
  const [preact] = await notices(["preact"]);
  await writeFile(join(panel, "panel.txt"), `panel.js contains:\n\n${preact}`);
  // A folder given is for the extension alone.
  for (const file of process.argv[2] ? [] : ["panel.js", "panel.css", "panel.txt"])
    await rename(join(panel, file), join(widgets, file));
  await rm(panel, { recursive: true });
  await chmod(stage, 0o755);
  await rename(target, old).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(stage, target);
} finally {
  await rm(stage, { recursive: true, force: true });
  await rm(old, { recursive: true, force: true });
}
