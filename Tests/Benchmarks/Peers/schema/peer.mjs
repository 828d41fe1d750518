// Checks bodies with Debian's node-ajv. Reads lines "FILE COUNT", answers with the CPU time of a check in microseconds.
import fs from "node:fs";
import readline from "node:readline";
import { createRequire } from "node:module";

// Debian's modules are not where this node may look for them.
process.env.NODE_PATH = "/usr/share/nodejs";
createRequire(import.meta.url)("node:module").Module._initPaths();
const Ajv = createRequire("/usr/share/nodejs/ajv/")("./lib/ajv.js");
const folder = process.argv[2];
const validate = new Ajv().compile(JSON.parse(fs.readFileSync(`${folder}/order.json`, "utf8")));
const bodies = new Map();

for await (const line of readline.createInterface({ input: process.stdin })) {
    const [file, count] = line.split(" ");
    if (!bodies.has(file)) bodies.set(file, fs.readFileSync(file));
    const body = bodies.get(file);
    let accepted = 0;
    const start = process.cpuUsage();
    for (let run = 0; run < Number(count); run++) {
        if (validate(JSON.parse(body.toString("utf8")))) accepted++;
    }
    const used = process.cpuUsage(start);
    console.log((used.user + used.system) / Number(count), accepted === Number(count));
}
