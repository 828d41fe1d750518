// Compares patterns with V8, flag u: patterns.mjs SEED COUNT SchemaSuite. Each pattern is looked for in ten texts.
//
// Differences with a known reason are counted by it: V8 has lookbehinds of any length, repeats more often, searches as long as it
// takes, and finds \B within a surrogate pair. All others are printed, and the program fails.
import { spawn } from "node:child_process";
import readline from "node:readline";

let seed = Number(process.argv[2]);
const count = Number(process.argv[3]);
// xorshift32
function random() {
    seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5;
    return (seed >>> 0) / 2 ** 32;
}
const pick = list => list[Math.floor(random() * list.length)];
const common = [
    "a", "b", "c", "0", "-", "_", " ", ".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\.", "\\n", "\\t", "\\u0061", "\\u{1F600}",
    "\\ud83d\\ude00", "\\x41", "\\cJ", "\\0", "é", "日", "😀", "\\/", "[a-z]", "\\p{L}", "\\P{Lu}", "\\p{Letter}", "\\p{Script=Greek}",
    "\\p{Nd}", "\\b", "\\B", "^", "$", "[abc]", "[^abc]", "[a-c]", "[^]", "[]", "[\\s]", "[^\\S]", "[a\\-z]", "[😀-😂]", "[\\w.]", "[\\d\\-x]",
    "[-a]", "[a-]", "[^-a]", "[\\0-\\x1f]", "[!-~]", "\\v", "\\f", "\\r", "[\\b]", "\\$", "\\^", "[$^.]", "[\\]]", "[\\^a]",
];
const rare = [
    "\\1", "\\2", "\\k<n>", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?<=ab|c)", "(?<!^)", "(?<=\\b)", "(?<=[^a])", "{", "}", "]", "\\{", "|", "*",
    "\\ud83d", "\\ude00", "[\\ud83d]", "[^\\ud83d]", "\\u2028", "[z-a]", "\\uD83D\\u0061", "\\p{ASCII}", "\\p{Alphabetic}", "\\p{Emoji}",
    "\\p{Foo}", "\\p{sc=Latn}", "\\p{scx=Grek}", "\\p{Lowercase}", "\\p{L", "\\p", "\\pL", "\\p{l}", "\\p{Any}", "\\P{Any}", "\\p{Assigned}",
    "\\p{gc=L}", "\\p{General_Category=Letter}", "\\p{Script=greek}", "\\p{IDS}", "\\p{White_Space}", "\\a", "\\-", "\\_", "\\ ", "\\8", "\\00",
    "\\07", "\\c1", "\\c", "\\x4", "\\u12", "\\u{110000}", "\\u{}", "\\u{0061}", "\\u{00000061}", "(?<n>a)", "(?<é>a)", "(?<1>a)", "(?<$>a)",
    "(?<\\u0061>a)", "(?i:a)", "(?#a)", "(?>a)", "(?P<n>a)", "\\A", "\\z", "\\Q", "\\E", "\\G", "\\K", "\\R", "\\X", "\\h", "\\N", "[[:alpha:]]",
    "[a-\\d]", "[\\d-x]", "[\\d-]", "[--a]", "[\\w-]", "(*ACCEPT)", "(*UTF)", "(?|a)", "a++", "a{,3}", "x{1", "x{1,}", "[a&&b]", "[a--b]", "\\\\",
];
const quantifiers = ["", "", "", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,}", "{0}", "*?", "+?", "??", "{2,3}?", "{2,1}"];
const openings = ["(", "(", "(?:", "(?:", "(?<n>", "(?<m>", "(?=", "(?!", "(?<=", "(?<!"];
const closings = [")", ")", ")", ")", "|b)", "|)", "|cd)"];
function pattern(depth) {
    let text = "";
    for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
        const chance = random();
        if (chance < 0.2 && depth > 0) text += pick(openings) + pattern(depth - 1) + pick(closings);
        else text += pick(chance < 0.95 ? common : rare);
        text += pick(quantifiers);
    }
    return random() < 0.1 ? text + "|" + pick(common) : text;
}
const characters = [
    "a", "b", "c", "0", "1", "-", "_", " ", "\n", "\r", "A", "é", "日", "😀", "😂", "x", "z", "\u2028", "\u00a0", "\ufeff", "Ω", "ab", "abc",
    "aa", "\t", "٣", ".", "{", "\0", "\v", "]", "^", "$", "\\", "\b", "ſ", "K", "ⅷ", "\u180e",
];
const process_ = spawn(process.argv[4], ["--pairs"], { stdio: ["pipe", "pipe", "inherit"] });
const lines = readline.createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
const limits = [/the length of a lookbehind must be fixed/, /a quantifier has at most 65535 repetitions/];
let different = 0, valid = 0, invalid = 0, pairs = 0;
const limited = {};
function tell(...words) {
    different += 1;
    if (different <= 25) console.log("  NOT KNOWN:", ...words);
}
function countReason(reason) { limited[reason] = (limited[reason] ?? 0) + 1; }
// ECMA-262 22.2.7.2: with flag u, a search goes on at the next character (AdvanceStringIndex).
function isWithinPair(expression, text) {
    const index = expression.exec(text)?.index ?? 0;
    return index > 0 && /^[\udc00-\udfff]/.test(text.slice(index)) && /[\ud800-\udbff]$/.test(text.slice(0, index));
}
for (let index = 0; index < count; index++) {
    const text = pattern(2);
    const texts = Array.from({ length: 10 }, () =>
        Array.from({ length: Math.floor(random() * 7) }, () => pick(characters)).join(""));
    let expression = null;
    try { expression = new RegExp(text, "u"); } catch {}
    process_.stdin.write(JSON.stringify({ schema: { pattern: text }, data: texts }) + "\n");
    const answer = (await lines.next()).value;
    if (answer.startsWith("error")) {
        const limit = limits.find(limit => limit.test(answer));
        if (!expression) invalid += 1;
        else if (limit) countReason(limit.source);
        else tell("we refuse", JSON.stringify(text), answer);
        continue;
    }
    if (!expression) { tell("we accept", JSON.stringify(text)); continue; }
    valid += 1;
    pairs += texts.length;
    texts.forEach((value, place) => {
        if (answer[place] === "C") { countReason("a text takes too much work"); return; }
        if (isWithinPair(expression, value)) { countReason("V8 finds \\B within a surrogate pair, where ECMA-262 does not look"); return; }
        const expected = expression.test(value) ? "T" : "F";
        if (expected !== answer[place]) tell(`V8 ${expected}, ours ${answer[place]}:`, JSON.stringify(text), JSON.stringify(value));
    });
}
console.log(`V8: ${count} patterns, ${valid} valid with ${pairs} texts, ${invalid} invalid for both, ${different} differences`);
for (const [limit, times] of Object.entries(limited)) console.log(`  ${times} times: ${limit}`);
process_.stdin.end();
process.exitCode = different > 0 ? 1 : 0;
