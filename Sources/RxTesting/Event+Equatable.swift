public import Rx

// In tests, two errors are equal if their descriptions are. Rx itself does not compare errors.

extension Event: Equatable where Element: Equatable {
    /// Whether both are equal.
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
    /// Whether both are equal.
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
    /// Whether both are equal.
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let one), .error(let other)): "\(one)" == "\(other)"
        case (.completed, .completed): true
        case (.error, _), (.completed, _): false
        }
    }
}
