import JSONBytes
import Networking

/// A node of the accessibility tree, as a screen reader gets it.
struct AccessibleNode: Sendable, Equatable {
    let role: String
    let name: String
    let description: String
    let properties: [String: String]
    let element: Int
}

extension Page {
    /// The page's accessibility tree, in document order.
    func accessibleNodes() async throws -> [AccessibleNode] {
        let tree = try await devTools("Accessibility.getFullAXTree")
        return (tree[member: "nodes"]?.elements ?? [])
            .filter { $0[member: "ignored"]?.boolValue != true }
            .map { node in
                let properties = (node[member: "properties"]?.elements ?? []).compactMap {
                    property -> (String, String)? in
                    guard let name = property[member: "name"]?.stringValue,
                        let value = property.value(at: "/value/value")
                    else { return nil }
                    return (name, value.stringValue ?? value.description)
                }
                return AccessibleNode(
                    role: node.value(at: "/role/value")?.stringValue ?? "",
                    name: node.value(at: "/name/value")?.stringValue ?? "",
                    description: node.value(at: "/description/value")?.stringValue ?? "",
                    properties: Dictionary(properties) { first, _ in first },
                    element: node[member: "backendDOMNodeId"]?.intValue ?? 0)
            }
    }

    /// WCAG 2.2, 4.1.2 and 1.1.1: every control and every image has a name.
    func namingComplaints() async throws -> [String] {
        try await accessibleNodes()
            .filter { Self.named.contains($0.role) }
            .filter { !$0.name.contains { $0.isLetter || $0.isNumber } }
            .asyncMap { "a \($0.role) without a name: \(try await self.markup(of: $0))" }
    }

    /// Roles that need a name.
    private static let named: Set = [
        "button", "link", "textbox", "searchbox", "spinbutton", "checkbox", "radio", "switch", "combobox",
        "ComboBoxSelect", "listbox", "slider", "tab", "menuitem", "option", "Date", "DateTime", "InputTime",
        "ColorWell", "DisclosureTriangle", "dialog", "alertdialog", "image", "img", "SvgRoot",
        "graphics-document", "graphics-object", "graphics-symbol", "progressbar", "meter", "table",
        "radiogroup", "tablist", "toolbar", "application",
    ]

    private func markup(of node: AccessibleNode) async throws -> String {
        let outer = try await devTools(
            "DOM.getOuterHTML", ["backendNodeId": .integer(Int64(node.element))])
        return String((outer[member: "outerHTML"]?.stringValue ?? "?").prefix(160))
    }
}

extension Sequence {
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
