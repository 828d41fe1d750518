public import Rx
public import Testing

extension TestScheduler {
    /// Subscribes to `source` now, runs `frames` ticks, disposes at `disposedAt` or at the end, and records an issue of the
    /// test unless what it sent reads as these marbles. Values are compared by how they describe themselves.
    @discardableResult
    public func expect<Output: ObservableConvertibleType>(
        _ source: Output, sends marbles: String, disposedAt: TestTime? = nil, frames: TestTime = 100,
        _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> TestableObserver<Output.Element> {
        let observer = record(source, disposedAt: disposedAt, frames: frames)
        observer.expect(marbles, comment, sourceLocation: sourceLocation)
        return observer
    }

    /// As `expect(_:sends:)`, for values that the marbles name: those of `values`.
    @discardableResult
    public func expect<Output: ObservableConvertibleType>(
        _ source: Output, sends marbles: String, values: [String: Output.Element],
        disposedAt: TestTime? = nil,
        frames: TestTime = 100, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> TestableObserver<Output.Element> where Output.Element: Equatable {
        let observer = record(source, disposedAt: disposedAt, frames: frames)
        observer.expect(marbles, values: values, comment, sourceLocation: sourceLocation)
        return observer
    }
}

extension TestableObserver {
    /// Records an issue of the test unless what came since this was made reads as these marbles.
    public func expect(
        _ marbles: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        report(comment, sourceLocation) { try difference(from: marbles) }
    }

    /// Records an issue of the test unless what came since this was made is what the marbles say, with these values.
    public func expect(
        _ marbles: String, values: [String: Element], _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Element: Equatable {
        report(comment, sourceLocation) { try difference(from: marbles, values: values) }
    }

    /// How what came differs from these marbles, for a reader; `nil` where it does not. For other test libraries than
    /// Swift Testing: `XCTAssertNil(try observer.difference(from: "-a-|"))`.
    public func difference(from marbles: String) throws(MarbleSyntaxError) -> String? {
        let expected = Marbles.frames(try Marbles.events(marbles), from: 0)
        return MarbleDifference(expected: expected, received: Marbles.frames(events, from: start))?
            .description
    }

    /// How what came differs from these marbles, whose values are those of `values`; `nil` where it does not.
    public func difference(
        from marbles: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> String? where Element: Equatable {
        let expected = try Marbles.events(marbles, values: values)
        let received = events.map { Recorded(time: $0.time - start, value: $0.value) }
        if expected == received { return nil }
        // What is equal to a named value is written by its name, anything else as it describes itself.
        func named(_ events: [Recorded<Event<Element>>]) -> [(frame: Int, text: String)] {
            Marbles.frames(
                events.map { recorded in
                    Recorded(
                        time: recorded.time,
                        value: recorded.value.map { value in
                            values.first { $0.value == value }?.key ?? "\(value)"
                        })
                }, from: 0)
        }
        let difference = MarbleDifference(expected: named(expected), received: named(received))
        return difference?.description ?? "\(received) is not \(expected)"
    }

    private func report(
        _ comment: Comment?, _ sourceLocation: SourceLocation, _ difference: () throws -> String?
    ) {
        do {
            guard let difference = try difference() else { return }
            Issue.record(
                "\(comment.map { "\($0.rawValue): " } ?? "")\(difference)", sourceLocation: sourceLocation)
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
    }
}
