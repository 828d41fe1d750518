import HTTPModel
import JSONBytes

/// The conditions of a stub.
struct StubPattern: Sendable, CustomStringConvertible {
    /// What a body has to be.
    enum Body: Sendable {
        case json(JSONFragment, JSONComparison)
        case bytes([UInt8])
        /// The text given as JSON is not JSON.
        case invalid(String)

        init(_ text: String, _ comparison: JSONComparison) {
            let fragment = try? JSONFragment(parsing: text)
            self = fragment.map { .json($0, comparison) } ?? .invalid(text)
        }
    }

    /// How closely a stub describes a call: first by literal segments, then by the number of conditions.
    struct Rank: Comparable {
        let literals: Int
        let conditions: Int

        static func < (left: Rank, right: Rank) -> Bool {
            (left.literals, left.conditions) < (right.literals, right.conditions)
        }
    }

    enum Match {
        case matched(parameters: [String: String], Rank)
        case missed(Reasons)
    }

    /// The unmet conditions, each as a sentence; `distance` is small for a near miss.
    struct Reasons {
        let texts: [String]
        let distance: Int
    }

    private enum Segment: Sendable {
        case literal(String)
        case parameter(String)
    }

    private let method: HTTPMethod?
    private let path: String?
    private let segments: [Segment]
    private let query: [String: String]
    private let body: Body?

    /// Matches every call.
    init() {
        method = nil
        path = nil
        segments = []
        query = [:]
        body = nil
    }

    init(_ method: HTTPMethod, _ path: String, _ query: [String: String], _ body: Body?) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        segments = Self.split(path).map { segment in
            segment.hasPrefix("{") && segment.hasSuffix("}")
                ? .parameter(String(segment.dropFirst().dropLast())) : .literal(String(segment))
        }
    }

    /// Returns the segments after the first slash: `["a", ""]` for `/a/`.
    private static func split(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(path.hasPrefix("/") ? 1 : 0)
            .map { $0 }
    }

    var description: String {
        guard let method, let path else { return "any request" }
        var conditions = query.sorted { $0.key < $1.key }.map { "query \($0.key)=\($0.value)" }
        switch body {
        case .json(let json, let comparison): conditions.append(comparison.condition(json))
        case .bytes(let bytes): conditions.append("a body of \(bytes.count) bytes")
        case .invalid(let text): conditions.append("the body \(text.shortened())")
        case nil: break
        }
        let list = conditions.isEmpty ? "" : " with " + conditions.joined(separator: ", ")
        return "\(method) \(path)\(list)"
    }

    // MARK: - Matching

    func match(_ request: StubUpstream.Request) -> Match {
        var reasons: [String] = []
        var distance = 0
        // As a server answers HEAD like GET, without the body.
        if let method, method != request.method, method != .get || request.method != .head {
            reasons.append("the method is \(request.method)")
            distance += 10
        }
        var parameters: [String: String] = [:]
        var literals = 0
        if path != nil {
            let found = Self.split(request.path)
            let differences = zip(segments, found).count { segment, text in
                let value = (try? PercentEncoding.decodeString(text.utf8)) ?? String(text)
                switch segment {
                case .literal(let literal):
                    literals += 1
                    return literal != value
                case .parameter(let name):
                    parameters[name] = value
                    return value.isEmpty
                }
            }
            if differences > 0 || found.count != segments.count {
                reasons.append("the path is \(request.path)")
                distance += 10 * (differences + abs(found.count - segments.count))
            }
        }
        for (name, value) in query.sorted(by: { $0.key < $1.key }) {
            let values = Self.values(of: name, in: request)
            guard !values.contains(value) else { continue }
            reasons.append(
                values.isEmpty
                    ? "the query has no \(name)" : "the query has \(name)=\(values.joined(separator: ", "))")
            distance += 1
        }
        if let reason = body.flatMap({ Self.mismatch(request, $0) }) {
            reasons.append(reason)
            distance += 1
        }
        guard reasons.isEmpty else { return .missed(Reasons(texts: reasons, distance: distance)) }
        let conditions = (method == nil ? 0 : 1) + (path == nil ? 0 : 1) + query.count + (body == nil ? 0 : 1)
        return .matched(parameters: parameters, Rank(literals: literals, conditions: conditions))
    }

    private static func values(of name: String, in request: StubUpstream.Request) -> [String] {
        (try? QueryItems(request.query.map { Array($0.utf8)[...] }).values(of: name)) ?? []
    }

    /// Returns why the request's body is not the wanted one; nil if it is.
    private static func mismatch(_ request: StubUpstream.Request, _ wanted: Body) -> String? {
        switch wanted {
        case .json(let json, let comparison):
            guard let body = try? request.json else {
                return "the body is not JSON: \(request.body.shortened())"
            }
            return JSONDifference(body, from: json, comparison)?.description
        case .bytes(let bytes):
            return request.bytes.elementsEqual(bytes) ? nil : "the body is \(request.body.shortened())"
        case .invalid: return "the stub's json is not JSON"
        }
    }
}
