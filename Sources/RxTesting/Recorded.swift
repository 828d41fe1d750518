public import Rx

/// A value with the tick at which it arrived.
public struct Recorded<Value: Sendable>: Sendable {
    /// The tick.
    public let time: TestTime
    /// What was recorded.
    public let value: Value

    /// Creates a record.
    public init(time: TestTime, value: Value) {
        self.time = time
        self.value = value
    }
}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomDebugStringConvertible {
    /// The value as text, for debuggers.
    public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
    /// Returns a value at the tick `time`.
    public static func next<Element>(_ time: TestTime, _ element: Element) -> Recorded
    where Value == Event<Element> {
        Recorded(time: time, value: .next(element))
    }

    /// Returns a completion at the tick `time`.
    public static func completed<Element>(_ time: TestTime, _ type: Element.Type = Element.self) -> Recorded
    where Value == Event<Element> {
        Recorded(time: time, value: .completed)
    }

    /// Returns an error at the tick `time`.
    public static func error<Element>(
        _ time: TestTime, _ error: any Error, _ type: Element.Type = Element.self
    ) -> Recorded where Value == Event<Element> {
        Recorded(time: time, value: .error(error))
    }

    /// Helps the compiler infer the type of its arguments.
    public static func events<Element>(_ recordedEvents: Recorded<Event<Element>>...) -> [Recorded<
        Event<Element>
    >]
    where Value == Event<Element> {
        recordedEvents
    }

    /// Helps the compiler infer the type of its arguments.
    public static func events<Element>(_ recordedEvents: [Recorded<Event<Element>>]) -> [Recorded<
        Event<Element>
    >]
    where Value == Event<Element> {
        recordedEvents
    }
}

/// The start and the end of a subscription, in ticks.
public struct Subscription: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    /// The tick of the subscription.
    public let subscribe: TestTime
    /// `TestTime.max` while the subscription lasts.
    public let unsubscribe: TestTime

    /// Creates a subscription that lasts, unless it has an end.
    public init(_ subscribe: TestTime, _ unsubscribe: TestTime = .max) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }

    /// The value as text, for debuggers.
    public var debugDescription: String {
        "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
    }
}
