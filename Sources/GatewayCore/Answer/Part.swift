public import JSONBytes
import Networking
import Rx

/// One named member of an answer's `data`, and what its failure means for the answer.
///
/// Anything `PartConvertible` can be a part. `Part` itself is needed only for a policy or an `async`
/// function:
///
///     .parts(
///         recent: diary.rx.request(.recent).fragment(),
///         tips: Part(tips.rx.request(.today).fragment()).fallback([String]()),
///         mood: Part.task { try await mood.today() }.optional())
public struct Part: Sendable {
    enum Policy: Sendable {
        /// The answer fails.
        case required
        /// The part becomes `null`, the answer `PARTIAL`.
        case optional
        /// The part becomes this value, the answer `PARTIAL`.
        case fallback(JSONFragment)
        /// The layout of a planned endpoint decides.
        case planned(PlanRun)
    }

    enum Source: Sendable {
        case single(Single<JSONFragment>)
        case task(@Sendable () async throws -> JSONFragment)
        /// Calls for the elements of an array, of which some may fail without failing the part.
        case items(ItemsWork)
        /// It has ended in a pipeline.
        case ended(EndedPart)
    }

    /// `nil` once the part has started: a uniquely held source runs in place instead of being copied.
    private var source: Source?
    private(set) var policy = Policy.required

    @inline(__always)
    var isPlanned: Bool { if case .planned = policy { true } else { false } }

    init(source: Single<JSONFragment>) {
        self.source = .single(source)
    }

    init(source: Single<JSONFragment>, policy: Policy) {
        self.source = .single(source)
        self.policy = policy
    }

    init(items: @escaping ItemsWork, policy: Policy = .required) {
        source = .items(items)
        self.policy = policy
    }

    init(task: @escaping @Sendable () async throws -> JSONFragment) {
        source = .task(task)
    }

    init(_ ended: EndedPart) {
        source = .ended(ended)
        policy = ended.policy
    }

    mutating func takeSource() -> Source? { source.take() }

    var hasStarted: Bool { source == nil }

    /// The name of a pipeline's part, which needs no label; else empty.
    var ownName: String { if case .ended(let part)? = source { part.name } else { "" } }

    var hasEnded: Bool { if case .ended? = source { true } else { false } }

    /// Whether it is a single call that would fail now with `circuit_open`.
    func isCircuitOpen(for endpoint: Int) -> Bool {
        if case .single(let single)? = source { single.isCircuitOpen(for: endpoint) } else { false }
    }

    /// Makes a part, required unless `part` has another policy.
    public init(_ part: some PartConvertible) {
        self = part.asPart()
    }

    /// Returns an optional part: if it fails, it becomes `null` and the answer `PARTIAL`.
    public func optional() -> Part {
        var part = self
        part.policy = .optional
        return part
    }

    /// Returns the part with a fallback: if it fails, `value` replaces it and the answer becomes `PARTIAL`.
    @_disfavoredOverload
    public func fallback(_ value: some JSONRepresentable) -> Part {
        fallback { try value.jsonFragment() }
    }

    /// Returns the part with a literal as its fallback: `[]`, `["available": nil]`.
    public func fallback(_ value: JSONLiteral) -> Part { fallback { value.fragment } }

    /// Returns the part with JSON text as its fallback. Text that is not JSON fails the part even if the
    /// upstream answers, so the first request shows it.
    public func fallback(json text: String) -> Part { fallback { try JSONFragment(parsing: text) } }

    /// Returns the part with any encodable `value` as its fallback.
    public func fallback(encoding value: some Encodable & Sendable) -> Part {
        fallback { try JSONFragment(encoding: value) }
    }

    private func fallback(_ value: () throws -> JSONFragment) -> Part {
        var part = self
        do {
            part.policy = .fallback(try value())
        } catch {
            // A fallback that cannot be encoded is the endpoint's fault: it fails the part even if the
            // upstream answers.
            part = Part(source: .error(error))
        }
        return part
    }
}

extension Part {
    /// A part with a known value.
    public static func value(_ value: some Encodable) -> Part {
        Part(source: PartSource.of { try JSONFragment(encoding: value) })
    }

    /// Not available: a `JSONFragment` is a part itself.
    @available(*, unavailable, message: "a JSONFragment is a part already: use Part(_:)")
    public static func value(_ value: JSONFragment) -> Part { Part(value) }

    /// A part with a literal as its value: `Part.json(["available": nil])`.
    public static func json(_ value: JSONLiteral) -> Part { value.asPart() }

    /// A part that an `async` function computes. It starts with the others and is cancelled if the request
    /// ends first.
    public static func task<Value: JSONRepresentable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Part {
        Part(task: { try await work().jsonFragment() })
    }

    /// A part that an `async` function computes, of any encodable type.
    @_disfavoredOverload
    public static func task<Value: Encodable & Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Part {
        Part(task: { try JSONFragment(encoding: await work()) })
    }
}

/// A value that can be a part of an answer: a part, a JSON value, or a `Single` or `Observable` of JSON
/// values.
public protocol PartConvertible: Sendable {
    /// Returns the part, which is required unless it has another policy.
    func asPart() -> Part
}

extension Part: PartConvertible {
    /// Returns it as a part of an answer.
    public func asPart() -> Part { self }
}
