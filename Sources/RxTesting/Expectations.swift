public import Rx
public import Testing

extension TestScheduler {
    /// Subscribes to `source`, runs `frames` ticks, and records an issue unless the events match the marbles.
    ///
    /// Values are compared by their descriptions.
    ///
    /// - Parameters:
    ///   - source: the stream to subscribe to, at the current tick.
    ///   - marbles: the expected events, starting at the current tick; see ``Marbles``.
    ///   - disposedAt: the tick, counted from now, after which the subscription is disposed. Default: after `frames` ticks.
    ///   - frames: how many ticks to run.
    ///   - comment: a text to put in front of the issue.
    ///   - sourceLocation: where the issue is recorded.
    /// - Returns: the observer with the recorded events.
    @discardableResult
    public func expect<Output: ObservableConvertibleType>(
        _ source: Output, sends marbles: String, disposedAt: TestTime? = nil, frames: TestTime = 100,
        _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> TestableObserver<Output.Element> {
        let observer = record(source, disposedAt: disposedAt, frames: frames)
        observer.expect(marbles, comment, sourceLocation: sourceLocation)
        return observer
    }

    /// Like `expect(_:sends:)`, with the marbles' names standing for `values`, which are compared with `==`.
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
    /// Records an issue unless the events since the observer was created match the marbles. Values are compared by their
    /// descriptions.
    public func expect(
        _ marbles: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        report(comment, sourceLocation) { try difference(from: marbles) }
    }

    /// Records an issue unless the events since the observer was created match the marbles, whose names stand for `values`.
    public func expect(
        _ marbles: String, values: [String: Element], _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) where Element: Equatable {
        report(comment, sourceLocation) { try difference(from: marbles, values: values) }
    }

    /// Describes how the events differ from the marbles; `nil` if they match. For test libraries other than Swift Testing:
    /// `XCTAssertNil(try observer.difference(from: "-a-|"))`.
    public func difference(from marbles: String) throws(MarbleSyntaxError) -> String? {
        let expected = Marbles.frames(try Marbles.events(marbles), from: 0)
        return MarbleDifference(expected: expected, received: Marbles.frames(events, from: start))?
            .description
    }

    /// Describes how the events differ from the marbles, whose names stand for `values`; `nil` if they match.
    public func difference(
        from marbles: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> String? where Element: Equatable {
        let expected = try Marbles.events(marbles, values: values)
        let received = events.map { Recorded(time: $0.time - start, value: $0.value) }
        if expected == received { return nil }
        // A value that equals a named one is shown by that name, any other by its description.
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
