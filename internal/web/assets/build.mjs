// Puts what pages use of others' code into dist. The sources of the console are ours, all that they import is not.
import { build } from "esbuild";
import { copyFile, readFile, readdir, writeFile } from "node:fs/promises";

// withoutFonts leaves out the fonts that stand in style sheets: pages use those of the reader's system.
const withoutFonts = {
  name: "without fonts",
  setup: (building) =>
    building.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/@font-face\s*{[^}]*}/g, ""),
      loader: "css",
    })),
};

const { metafile } = await build({
  entryPoints: ["console/console.js", "console/console.css"],
  outdir: "dist",
  bundle: true,
  minify: true,
  legalComments: "none", // they are in licenses.txt
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"' },
  metafile: true,
  plugins: [withoutFonts],
});
await copyFile("node_modules/htmx.org/dist/htmx.min.js", "dist/htmx.min.js");

// Their licences ask to go along.
const inputs = [...Object.keys(metafile.inputs), "node_modules/htmx.org/package.json"];
const packages = new Set(inputs.map((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean));
let licenses = "";
for (const directory of [...packages].sort()) {
  const { name, version, license } = JSON.parse(await readFile(`${directory}/package.json`, "utf8"));
  const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry));
  licenses += `${name} ${version} (${license})\n\n${file ? (await readFile(`${directory}/${file}`, "utf8")).trim() + "\n\n" : ""}`;
}
await writeFile("dist/licenses.txt", licenses);
