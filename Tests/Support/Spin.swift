import Glibc

/// A condition that did not come about in time.
public struct SpunTooLong: Error, CustomStringConvertible {
    public let place: String

    public var description: String { "what is waited for at \(place) has not come about" }
}

/// Leaves the processor to others as long as `condition` holds: for what no event tells. A minute is longer than any test
/// waits, on a busy machine and under a sanitizer too.
public func spin(
    while condition: @autoclosure () throws -> Bool, within limit: Duration = .seconds(60),
    file: String = #fileID, line: Int = #line
) throws {
    let end = ContinuousClock.now + limit
    while try condition() {
        if ContinuousClock.now > end { throw SpunTooLong(place: "\(file):\(line)") }
        sched_yield()
    }
}
