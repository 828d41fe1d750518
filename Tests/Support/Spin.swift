import Glibc

/// A condition that did not become true in time.
public struct SpunTooLong: Error, CustomStringConvertible {
    public let place: String

    public var description: String { "the condition at \(place) did not become true in time" }
}

/// Yields the processor while `condition` holds, for states that no event reports. Fails after a minute, which is enough on a
/// busy machine with a sanitizer.
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
