import ASCIIText
import JSONSchema

/// An operation of a description.
package struct OpenAPIOperation: Sendable {
    /// In upper case.
    package let method: String
    package let path: OperationPath
    package let id: String?
    let value: OpenAPIValue
    let pathItem: OpenAPIValue
    /// The paths of its servers, longest first.
    let servers: [CallPath]

    /// `GET /orders/{id}`.
    package var name: String { "\(method) \(path.text)" }
}

/// The operation of a call.
package struct OperationMatch: Sendable {
    package let operation: OpenAPIOperation
    /// How many segments of the request's path stand before the operation's: the path of the server.
    package let skipped: Int
}

/// The operations of a description, found by method and path or by identifier.
package struct OperationIndex: Sendable {
    package private(set) var operations: [OpenAPIOperation] = []
    private let document: String
    /// Indices by the number of segments, specific paths first.
    private var bySegments: [Int: [Int]] = [:]
    private var byID: [String: Int] = [:]
    /// The paths of all servers, longest first.
    private var prefixes: [CallPath] = []
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    init(_ root: OpenAPIValue, _ reader: inout OpenAPIReader) {
        document = root.document
        let servers = Self.servers(of: root)
        var shapes: [String: String] = [:]
        for (text, value) in root.member("paths")?.ownMembers ?? [] {
            guard let path = OperationPath(text) else {
                reader.complain(
                    "the path \(Shown.text(text)) must begin with a slash and close its braces", at: value)
                continue
            }
            if let other = shapes.updateValue(text, forKey: path.shape) {
                reader.complain(
                    "\(Shown.text(text)) and \(Shown.text(other)) match the same paths", at: value,
                    isWarning: true)
            }
            add(path, value, servers, &reader)
        }
        prefixes = Set(operations.flatMap(\.servers)).sorted { ($0.count, $0.text) > ($1.count, $1.text) }
        for (count, indices) in bySegments {
            bySegments[count] = indices.sorted { left, right in
                let (first, second) = (operations[left].path.ranks, operations[right].path.ranks)
                return first == second ? left < right : first.lexicographicallyPrecedes(second)
            }
        }
    }

    private mutating func add(
        _ path: OperationPath, _ value: OpenAPIValue, _ servers: [CallPath], _ reader: inout OpenAPIReader
    ) {
        var items = [value]
        // A reference may stand next to operations.
        if value.member("$ref") != nil, let target = reader.resolved(value, "a path item") {
            items.append(target)
        }
        var known: Set<String> = []
        for item in items {
            for method in Self.methods {
                guard let operation = item.member(method), known.insert(method).inserted else { continue }
                guard operation.isObject else {
                    reader.complain("an operation must be an object", at: operation)
                    continue
                }
                add(method.uppercased(), path, operation, of: item, servers, &reader)
            }
        }
    }

    private mutating func add(
        _ method: String, _ path: OperationPath, _ operation: OpenAPIValue, of item: OpenAPIValue,
        _ servers: [CallPath], _ reader: inout OpenAPIReader
    ) {
        let index = operations.count
        let id = operation.member("operationId")
        if let id, let text = id.string {
            if let other = byID.updateValue(index, forKey: text) {
                let place = operations[other].value
                reader.complain(
                    "operationId: \"\(Shown.text(text))\" is declared in \(place.document):\(place.place.line) already",
                    at: id)
            }
        }
        let own = [operation, item].first { $0.member("servers") != nil }
        operations.append(
            OpenAPIOperation(
                method: method, path: path, id: id?.string, value: operation, pathItem: item,
                servers: own.map(Self.servers) ?? servers))
        bySegments[path.segments.count, default: []].append(index)
    }

    // MARK: - Servers

    private static func servers(of value: OpenAPIValue) -> [CallPath] {
        let paths = (value.member("servers")?.elements ?? []).compactMap { server in
            server.member("url")?.string.map { path(ofURL: $0, server.member("variables")) }
        }
        return paths.sorted { $0.count > $1.count }
    }

    private static func path(ofURL text: String, _ variables: OpenAPIValue?) -> CallPath {
        var url = text
        for (name, variable) in variables?.members ?? [] {
            guard let value = variable.member("default")?.string else { continue }
            url = url.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: value)
        }
        var rest = url.utf8.prefix { $0 != Byte.questionMark && $0 != Byte.hash }
        if let colon = rest.firstIndex(of: Byte.colon), rest[colon...].starts(with: "://".utf8) {
            rest = rest[colon...].dropFirst(3)
            rest = rest[(rest.firstIndex(of: Byte.slash) ?? rest.endIndex)...]
        }
        while rest.last == Byte.slash { rest = rest.dropLast() }
        return CallPath(String(Substring(rest)))
    }

    // MARK: - Finding

    /// Finds the operation of a call.
    ///
    /// - Parameters:
    ///   - path: below the path of the upstream.
    ///   - upstream: the path of the upstream's URL.
    package func find(
        _ method: String, _ path: CallPath, upstream: CallPath = CallPath("/")
    ) -> OperationMatch? {
        for candidate in candidates(path, upstream) {
            let found = first(method, candidate.path) { operation in
                candidate.server.map { operation.servers.contains($0) } ?? true
            }
            if let found { return OperationMatch(operation: found, skipped: candidate.skipped) }
        }
        return nil
    }

    /// Returns how the path of a call leads to an operation that the call names; nil if it does not.
    package func match(
        _ operation: OpenAPIOperation, _ path: CallPath, upstream: CallPath = CallPath("/")
    ) -> OperationMatch? {
        candidates(path, upstream).first { $0.path.mayMatch(operation.path) }.map {
            OperationMatch(operation: operation, skipped: $0.skipped)
        }
    }

    /// The paths that an operation may have: without the path of a server, without the path of the upstream,
    /// and whole.
    private func candidates(
        _ path: CallPath, _ upstream: CallPath
    ) -> [(path: CallPath, skipped: Int, server: CallPath?)] {
        let whole = path.following(upstream)
        let stripped = prefixes.compactMap { prefix in
            whole.dropping(prefix).map { (path: $0, skipped: prefix.count, server: Optional(prefix)) }
        }
        return stripped + [(path, upstream.count, nil), (whole, 0, nil)]
    }

    private func first(
        _ method: String, _ path: CallPath, where isMeant: (OpenAPIOperation) -> Bool
    ) -> OpenAPIOperation? {
        for index in bySegments[path.segments.count] ?? [] {
            let operation = operations[index]
            if operation.method == method, isMeant(operation), path.mayMatch(operation.path) {
                return operation
            }
        }
        return nil
    }

    /// Returns the operation with an `operationId`.
    package func operation(id: String) -> OpenAPIOperation? { byID[id].map { operations[$0] } }

    // MARK: - Messages

    /// Says that a call has no operation, and which one was likely meant.
    package func unknown(_ method: String, _ path: CallPath) -> String {
        let message = "\(document) has no operation \(method) \(Shown.text(path.text))"
        let others = operations.filter { path.mayMatch($0.path) }
        if let other = others.first {
            let methods = Words.list(others.filter { $0.path == other.path }.map(\.method), "and")
            return "\(message); \(other.path.text) has \(methods)"
        }
        var shapes: [String: String] = [:]
        for operation in operations where operation.method == method {
            shapes[operation.path.shape] = shapes[operation.path.shape] ?? operation.path.text
        }
        let near = Suggestion.nearest(to: path.text, among: shapes.keys.sorted()).flatMap { shapes[$0] }
        return message + (near.map { "; did you mean \($0)?" } ?? "")
    }

    /// Says that no operation has an `operationId`, and which one was likely meant.
    package func unknown(id: String) -> String {
        "\(document) has no operation \"\(Shown.text(id))\""
            + Suggestion.text(for: id, among: byID.keys.sorted())
    }
}
