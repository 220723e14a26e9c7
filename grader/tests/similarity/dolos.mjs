// dolos.mjs INFO_CSV SKELETON: checks that Dolos reads the output of `warpgrade similarity --dolos DIR`. Prints the
// pairs that it finds most similar. Run where its library is installed: npm install @dodona/dolos-lib
import { createRequire } from "node:module";
import { join } from "node:path";

const { Dolos } = createRequire(join(process.cwd(), "package.json"))("@dodona/dolos-lib");
const [info, skeleton] = process.argv.slice(2);
const report = await new Dolos({ language: "cpp", ignore: skeleton }).analyzePaths([info]);
const pairs = report.allPairs().sort((a, b) => b.similarity - a.similarity);
console.log(`${report.files.length} files, ${report.warnings.length} warnings`);
for (const pair of pairs.slice(0, 5))
  console.log(pair.similarity.toFixed(3), pair.leftFile.path, pair.rightFile.path);
