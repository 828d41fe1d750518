public import Rx

// Tests compare events. Rx itself does not make them `Equatable`, because two errors have no general notion of equality.
// Here two errors are equal if their descriptions are.

extension Event: Equatable where Element: Equatable {
    public static func == (lhs: Event, rhs: Event) -> Bool {
        switch (lhs, rhs) {
        case (.next(let one), .next(let other)): one == other
        case (.error(let one), .error(let other)): "\(one)" == "\(other)"
        case (.completed, .completed): true
        case (.next, _), (.error, _), (.completed, _): false
        }
    }
}

extension MaybeEvent: Equatable where Element: Equatable {
    public static func == (lhs: MaybeEvent, rhs: MaybeEvent) -> Bool {
        switch (lhs, rhs) {
        case (.success(let one), .success(let other)): one == other
        case (.error(let one), .error(let other)): "\(one)" == "\(other)"
        case (.completed, .completed): true
        case (.success, _), (.error, _), (.completed, _): false
        }
    }
}

extension CompletableEvent: Equatable {
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let one), .error(let other)): "\(one)" == "\(other)"
        case (.completed, .completed): true
        case (.error, _), (.completed, _): false
        }
    }
}
