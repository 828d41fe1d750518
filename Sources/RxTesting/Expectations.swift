public import Rx
public import Testing

extension TestScheduler {
    /// Subscribes to `source` now, runs `frames` ticks, and records an issue unless the events match the
    /// marbles, by their descriptions. Disposes the subscription `disposedAt` ticks from now, by default
    /// after `frames` ticks.
    @discardableResult
    public func expect<Output: ObservableConvertibleType>(
        _ source: Output, sends marbles: String, disposedAt: TestTime? = nil, frames: TestTime = 100,
        _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> TestableObserver<Output.Element> {
        let observer = record(source, disposedAt: disposedAt, frames: frames)
        observer.expect(marbles, comment, sourceLocation: sourceLocation)
        return observer
    }

    /// Like `expect(_:sends:)`, but replaces names in the marbles by `values` and compares with `==`.
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
    /// Records an issue unless the events so far match the marbles. Compares values by their descriptions.
    public func expect(
        _ marbles: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        report(comment, sourceLocation) { try difference(from: marbles) }
    }

    /// Records an issue unless the events so far match the marbles, with names replaced by `values`.
    public func expect(
        _ marbles: String, values: [String: Element], _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Element: Equatable {
        report(comment, sourceLocation) { try difference(from: marbles, values: values) }
    }

    /// Describes how the events differ from the marbles; `nil` if they match. For XCTest:
    /// `XCTAssertNil(try observer.difference(from: "-a-|"))`.
    public func difference(from marbles: String) throws(MarbleSyntaxError) -> String? {
        let expected = Marbles.frames(try Marbles.events(marbles), from: 0)
        return MarbleDifference(expected: expected, received: Marbles.frames(events, from: start))?
            .description
    }

    /// Describes how the events differ from the marbles, with names replaced by `values`; `nil` if they
    /// match.
    public func difference(
        from marbles: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> String? where Element: Equatable {
        let expected = try Marbles.events(marbles, values: values)
        let received = events.map { Recorded(time: $0.time - start, value: $0.value) }
        if expected == received { return nil }
        // Shows a value by its name in `values`, if it has a name, or else by its description.
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
