/// An event of a stream. The grammar is `next* (error | completed)?`.
@frozen
public enum Event<Element: Sendable>: Sendable {
    case next(Element)
    case error(any Error)
    case completed
}

extension Event: CustomDebugStringConvertible {
    /// The value as text, for debuggers.
    public var debugDescription: String {
        switch self {
        case .next(let value): "next(\(value))"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

extension Event {
    /// Whether the event ends the stream: an error or the completion.
    public var isStopEvent: Bool {
        switch self {
        case .next: false
        case .error, .completed: true
        }
    }

    /// The value of a `next` event, else nil.
    public var element: Element? {
        if case .next(let value) = self { value } else { nil }
    }

    /// The error of an `error` event, else nil.
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }

    /// Whether it is `completed`.
    public var isCompleted: Bool {
        if case .completed = self { true } else { false }
    }

    /// Returns the event with its value transformed, or the error that `transform` throws.
    public func map<Result: Sendable>(_ transform: (Element) throws -> Result) -> Event<Result> {
        do {
            switch self {
            case .next(let element): return .next(try transform(element))
            case .error(let error): return .error(error)
            case .completed: return .completed
            }
        } catch {
            return .error(error)
        }
    }
}

/// A value that `dematerialize` turns back into an event.
public protocol EventConvertible<Element>: Sendable {
    associatedtype Element: Sendable

    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    /// The event itself.
    public var event: Event<Element> { self }
}
