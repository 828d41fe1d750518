import JSONBytes
import Rx

/// One named piece of an answer's `data`, with what its failure means for the whole.
///
/// Anything that is `PartConvertible` becomes one; writing `Part` out is only needed for a policy or an
/// `async` function:
///
///     .parts(
///         recent: diary.rx.request(.recent).fragment(),
///         tips: Part(tips.rx.request(.today).fragment()).fallback([String]()),
///         mood: Part.task { try await mood.today() }.optional())
public struct Part: Sendable {
    /// What a failure of the part does.
    enum Policy: Sendable {
        /// The whole answer fails.
        case required
        /// The part is `null`, the answer `PARTIAL`.
        case optional
        /// The part is this value, the answer `PARTIAL`.
        case fallback(JSONFragment)
    }

    enum Source: Sendable {
        case single(Single<JSONFragment>)
        case task(@Sendable () async throws -> JSONFragment)
    }

    /// `nil` once the part is awaited: a source that nobody else holds runs itself, and no copy.
    private var source: Source?
    private(set) var policy = Policy.required

    init(source: Single<JSONFragment>) {
        self.source = .single(source)
    }

    init(task: @escaping @Sendable () async throws -> JSONFragment) {
        source = .task(task)
    }

    /// The part's source, and the part without it.
    mutating func takeSource() -> Source? { source.take() }

    /// A required part.
    public init(_ part: some PartConvertible) {
        self = part.asPart()
    }

    /// A failure leaves the part `null` and makes the answer `PARTIAL`.
    public func optional() -> Part {
        var part = self
        part.policy = .optional
        return part
    }

    /// A failure puts `value` in the part's place and makes the answer `PARTIAL`.
    public func fallback(_ value: some JSONRepresentable) -> Part {
        fallback { try value.jsonFragment() }
    }

    /// A failure puts any encodable `value` in the part's place and makes the answer `PARTIAL`.
    public func fallback(encoding value: some Encodable & Sendable) -> Part {
        fallback { try JSONFragment(encoding: value) }
    }

    private func fallback(_ value: () throws -> JSONFragment) -> Part {
        var part = self
        do {
            part.policy = .fallback(try value())
        } catch {
            // A fallback that cannot be written is a fault of the endpoint, not of the upstream it stands for.
            part = Part(source: .error(error))
        }
        return part
    }
}

extension Part {
    /// A part that is known already.
    public static func value(_ value: some Encodable) -> Part {
        Part(source: PartSource.of { try JSONFragment(encoding: value) })
    }

    /// A part that an `async` function brings. It runs once the answer is asked for; its task is cancelled when
    /// the request ends before it.
    public static func task<Value: JSONRepresentable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Part {
        Part(task: { try await work().jsonFragment() })
    }

    /// A part that an `async` function brings as any encodable value.
    @_disfavoredOverload
    public static func task<Value: Encodable & Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Part {
        Part(task: { try JSONFragment(encoding: await work()) })
    }
}

/// What can be a part of an answer: parts, `Single`s and `Observable`s of JSON values, and JSON values.
public protocol PartConvertible: Sendable {
    /// The part, required unless it says otherwise.
    func asPart() -> Part
}

extension Part: PartConvertible {
    public func asPart() -> Part { self }
}
