const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

function token(className, text) {
  const span = document.createElement("span");
  span.className = className;
  span.textContent = text;
  return span;
}

/** The same document with a member a line, unless it is not JSON. */
function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A JSON document as nodes, its names, texts and numbers each in their colour. */
export function coloured(document) {
  const text = laidOut(document);
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    const [whole, string, colon, number] = match;
    nodes.push(text.slice(end, match.index));
    if (colon) nodes.push(token("key", string), colon);
    else nodes.push(token(string ? "text" : number ? "number" : "word", whole));
    end = match.index + whole.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}
