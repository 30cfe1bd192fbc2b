// Puts what pages use of others' code into dist. The sources of the console are ours, all that they import is not.
import { build } from "esbuild";
import { copyFile, readFile } from "node:fs/promises";

// withoutFonts leaves out the fonts that stand in style sheets: pages use those of the reader's system.
const withoutFonts = {
  name: "without fonts",
  setup: (building) =>
    building.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/@font-face\s*{[^}]*}/g, ""),
      loader: "css",
    })),
};

await build({
  entryPoints: ["console/console.js", "console/console.css"],
  outdir: "dist",
  bundle: true,
  minify: true,
  legalComments: "eof",
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [withoutFonts],
});
await copyFile("node_modules/htmx.org/dist/htmx.min.js", "dist/htmx.min.js");
