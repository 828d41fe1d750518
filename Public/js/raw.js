const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

function token(className, text) {
  const span = document.createElement("span");
  span.className = className;
  span.textContent = text;
  return span;
}

/** Formats a JSON document with one member per line; other text is unchanged. */
function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A JSON document as nodes with coloured names, strings and numbers. */
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
